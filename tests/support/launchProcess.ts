/** Runs `npm run launch` and `npm run demo` as processes, without npm in between. */
import { type ChildProcess, spawn } from 'node:child_process'
import { root } from '../../local/tools/runTool.ts'

export type Ended = { code: number | null; output: string }

export type Started = {
  process: ChildProcess
  /** Everything printed so far, on both streams. */
  output(): string
  /** Resolves once `text` is printed; rejects with the output if the process ends first. */
  printed(text: string): Promise<void>
  ended: Promise<Ended>
}

/** `script` is a path from the root. */
export function start(script: string, args: string[], env: Record<string, string> = {}): Started {
  const child = spawn(process.execPath, ['--no-warnings', script, ...args], {
    cwd: root,
    env: { ...process.env, ...env, PATH: `${root}/node_modules/.bin:${process.env.PATH}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk
    })
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, output })))
  return {
    process: child,
    output: () => output,
    ended,
    printed: (text) =>
      new Promise((resolve, reject) => {
        const check = () => output.includes(text) && resolve()
        for (const stream of [child.stdout, child.stderr]) stream.on('data', check)
        void ended.then(() => reject(new Error(`ended before it printed "${text}":\n${output}`)))
        check()
      }),
  }
}

export const run = (script: string, args: string[], env?: Record<string, string>): Promise<Ended> =>
  start(script, args, env).ended
