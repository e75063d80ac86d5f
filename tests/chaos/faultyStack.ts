import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Limits } from '#domain/limits.ts'
import type { Stack, StackOptions } from '../../local/stack/stack.ts'
import { type RpcProxy, startRpcProxy } from '../support/rpcProxy.ts'
import { createTestStack, type TestStack } from '../support/testStack.ts'

export type FaultyStack = { stack: TestStack; node: RpcProxy; stop: () => Promise<void> }

/** Starts a stack whose Worker reaches Base through a node with faults. */
export async function createFaultyStack({
  limits,
  ...options
}: Pick<StackOptions, 'finalityBlocks'> & { limits?: Limits } = {}): Promise<FaultyStack> {
  let node: RpcProxy | undefined
  const vars = async ({ rpc }: { rpc: Stack['rpc'] }) => {
    node = await startRpcProxy(rpc[8453])
    // With a second node, the Worker believes a reorganization immediately.
    const urls = options.finalityBlocks ? `${node.url},${rpc[8453]}` : node.url
    return { RPC_URLS_8453: urls, ...(limits && { LIMITS: JSON.stringify(limits) }) }
  }
  const stack = await createTestStack({ ...options, vars, lean: true }).catch(async (error: unknown) => {
    await node?.stop()
    throw error
  })
  const stop = async () => {
    await stack.stop()
    await node?.stop()
  }
  return { stack, node: node!, stop }
}

/** Log lines that the Worker writes only if something is wrong: a nonce used for two contents, a halted wallet. */
export const logProblems = ({ stateDir }: TestStack): string[] =>
  readFileSync(join(stateDir, 'wrangler.log'), 'utf8')
    .split('\n')
    .filter((line) =>
      /"event":"(?:nonce_used_by_unknown_transaction|job_refused|wallet_halted)"|cannot fail from/.test(line),
    )
