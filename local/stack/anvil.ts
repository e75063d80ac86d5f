/** Starts a local chain in place of Base. Shared by the local stack and the tests. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { foundryProgram } from '../tools/runTool.ts'

export type AnvilOptions = {
  chainId: number
  /** Seconds between blocks; without it every transaction is mined at once. */
  blockTime?: number
  /** Chain state is loaded from this file if it exists, and written to it every few seconds and on stop. */
  statePath?: string
  /** A free port by default. */
  port?: number
  /** How many blocks `finalized` is behind: 2, unless a test makes reorganizations. Even. */
  finalityBlocks?: number | undefined
  /** The number of blocks whose state can be read, as on a node without an archive. A reorganization can't be deeper. */
  statesKept?: number
  /** Time of the first block, in ms; chain time continues from there. */
  startsAt?: number | undefined
}

export type Anvil = {
  url: string
  port: number
  pid: number
  /** Stops the process after it has written its state. */
  stop(): Promise<void>
}

/** Resolves once anvil listens. Throws if it exits, or does not listen within 30 seconds. */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const { chainId, blockTime, statePath, port: wanted = 0, startsAt, finalityBlocks = 2, statesKept = 256 } = options
  const flags: (string | number)[] = ['--host', '127.0.0.1', '--port', wanted, '--chain-id', chainId]
  // With 32 slots, which is the default, `finalized` would lag 64 blocks.
  flags.push('--slots-in-an-epoch', finalityBlocks / 2, '--hardfork', 'osaka', '--no-request-size-limit')
  // By default anvil writes older states to disk, gigabytes in the end, and a reorganization back to one of them loses all code.
  flags.push('--prune-history', statesKept)
  if (blockTime) flags.push('--block-time', blockTime)
  if (startsAt !== undefined) flags.push('--timestamp', Math.floor(startsAt / 1000))
  if (statePath) flags.push('--state', statePath, '--state-interval', 5)

  const child = spawn(foundryProgram('anvil'), flags.map(String), { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit')
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors = (errors + chunk).slice(-2000)
  })

  const port = await new Promise<number>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error('anvil did not start within 30 s'))
    }, 30_000)
    createInterface(child.stdout).on('line', (line) => {
      const match = /^Listening on 127\.0\.0\.1:(\d+)$/.exec(line)
      if (!match) return
      clearTimeout(timer)
      resolve(Number(match[1]))
    })
    void ended.then(([code]) => {
      clearTimeout(timer)
      reject(new Error(`anvil ended with ${code}: ${errors}`))
    })
    child.on('error', reject)
  })

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    pid: child.pid!,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
