import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** The root of the repository. */
export const root = join(import.meta.dirname, '../..')

const keptOutput = 100_000 // characters

type Options = {
  /** Relative to the root. */
  cwd?: string
  env?: Record<string, string>
  /** What the tool reads from its standard input, also as the file `/dev/stdin`. Without it, the input is empty. */
  input?: string
  started?: (pid: number) => void
}

/** Runs one of the project's own tools. Returns what it printed on both streams; throws with that unless it exits with 0. */
export async function runTool(command: string[], options: Options = {}): Promise<string> {
  // Node connects a child by a socket, which Linux can't open as /dev/stdin; the shell makes a pipe.
  const piped = ['sh', '-c', 'cat | "$@"', 'sh', ...command]
  const [tool, ...args] = (options.input === undefined ? command : piped) as [string, ...string[]]
  const path = `${join(root, 'node_modules/.bin')}:${process.env.PATH}`
  const child = spawn(tool === 'forge' ? foundryProgram(tool) : tool, args, {
    cwd: join(root, options.cwd ?? '.'),
    env: { ...process.env, ...options.env, PATH: path },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // The tool may exit before it has read its input.
  child.stdin.on('error', () => undefined).end(options.input)
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
