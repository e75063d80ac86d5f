/** The environment for tests of the agents' gateway: one stack for all files, and the real clients of agents. */
import type { TestProject } from 'vitest/node'
import type { Address } from '../../worker/chain/types.ts'
import { installClients } from './clients.ts'
import { createTestStack } from './testStack.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    gateway: { url: string; rpcUrl: string; usdc: Address; stateDir: string }
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await installClients()
  const { url, rpc, contracts, stateDir, stop } = await createTestStack({ lean: true })
  project.provide('gateway', { url, rpcUrl: rpc[8453], usdc: contracts[8453].usdc, stateDir })
  return stop
}
