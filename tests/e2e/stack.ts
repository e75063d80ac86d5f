/** Starts one stack for all browser tests. They get its addresses and data through environment variables. */

import { groupsAndAgents, writeRows } from '../support/largeAccount.ts'
import { createFundedWallet, createTestStack, type TestStack } from '../support/testStack.ts'
import { createAccount } from './accounts.ts'
import { seedAccount } from './seededAccount.ts'

export default async function startOnce(): Promise<() => Promise<void>> {
  const stack = await createTestStack()
  try {
    process.env.BURSAR_URL = stack.url
    process.env.BURSAR_RPC = stack.rpc[8453]
    process.env.BURSAR_STATE = stack.stateDir
    const [seeded, large] = await Promise.all([seedAccount(stack.bursar), createLargeAccount(stack)])
    await writeRows(stack, large.account, large.agents)
    process.env.BURSAR_LARGE = JSON.stringify({ session: large.session, token: large.account.token })
    process.env.BURSAR_SEEDED = JSON.stringify(seeded)
    return stack.stop
  } catch (error) {
    await stack.stop()
    throw error
  }
}

/** Creates everything but the rows, which are written while the Worker is stopped. */
async function createLargeAccount(stack: TestStack) {
  const { session } = await createAccount(stack.bursar)
  const token = session.accessToken
  const account = { userId: session.user.id, token, wallet: await createFundedWallet(stack.bursar, token) }
  return { session, account, agents: await groupsAndAgents(stack, account) }
}
