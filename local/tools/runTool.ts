import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** The root of the repository. */
export const root = join(import.meta.dirname, '../..')

const keptOutput = 100_000 // characters

/**
 * Runs one of the project's own tools, in `cwd` relative to the root, and returns what it printed on both streams. Throws
 * with the output unless the tool exits with 0.
 */
export async function runTool(
  command: string[],
  options: { cwd?: string; env?: Record<string, string>; started?: (pid: number) => void } = {},
): Promise<string> {
  const [tool, ...args] = command as [string, ...string[]]
  const path = `${join(root, 'node_modules/.bin')}:${process.env.PATH}`
  const child = spawn(tool === 'forge' ? foundryProgram(tool) : tool, args, {
    cwd: join(root, options.cwd ?? '.'),
    env: { ...process.env, ...options.env, PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  if (child.pid !== undefined) options.started?.(child.pid)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-keptOutput)
    })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', (cause) => reject(new Error(`${tool} can't be started: run npm ci first`, { cause })))
    child.on('close', resolve)
  })
  if (code !== 0) throw new Error(`${command.join(' ')} exited with ${code}:\n${output}`)
  return output
}

const require = createRequire(import.meta.url)

/** Path of the native program in the npm package. Its JavaScript wrapper hides the exit code and is one more process. */
export function foundryProgram(tool: 'forge' | 'anvil'): string {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const platform = `@foundry-rs/${tool}-${process.platform}-${arch}`
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const fromWrapper = createRequire(require.resolve(`@foundry-rs/${tool}/package.json`))
  return fromWrapper.resolve(`${platform}/bin/${tool}${suffix}`)
}
