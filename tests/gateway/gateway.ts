/** The running stack of this test project, and agents on it. */
import { inject } from 'vitest'
import { BursarClient } from '../../local/client.ts'
import { createSender } from '../support/stackClient.ts'

export const { url, rpcUrl, usdc, stateDir } = inject('gateway')
export const bursar = new BursarClient(url, rpcUrl)

/** Creates a user with 50 USDC, a group with a budget of 20, and one agent in it. */
export async function createAgent(over: Partial<Parameters<typeof createSender>[1]> = {}) {
  const sender = await createSender({ bursar, stateDir }, { funds: '50', limit: 20, ...over })
  return { ...sender.agents[0]!, sender }
}
