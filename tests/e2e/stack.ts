/** Starts one stack for all browser tests. They get its addresses and data through environment variables. */

import { groupsAndAgents, writeRows } from '../support/largeAccount.ts'
import { createFundedWallet, createTestStack, type TestStack } from '../support/testStack.ts'
import { createAccount } from './accounts.ts'
import { startPushService } from './pushService.ts'
import { seedAccount } from './seededAccount.ts'
import { thorough } from './thorough.ts'

export default async function startOnce(): Promise<() => Promise<void>> {
  const push = await startPushService()
  const stack = await createTestStack({ vars: { PUSH_ENDPOINT: push.url } })
  const stop = async () => {
    await stack.stop()
    await push.stop()
  }
  try {
    process.env.BURSAR_PUSH = push.url
    process.env.BURSAR_URL = stack.url
    process.env.BURSAR_RPC = stack.rpc[8453]
    process.env.BURSAR_STATE = stack.stateDir
    if (thorough) process.env.BURSAR_LARGE = JSON.stringify(await createLargeAccount(stack))
    process.env.BURSAR_SEEDED = JSON.stringify(await seedAccount(stack.bursar))
    return stop
  } catch (error) {
    await stop()
    throw error
  }
}

async function createLargeAccount(stack: TestStack) {
  const { session } = await createAccount(stack.bursar)
  const token = session.accessToken
  const account = { userId: session.user.id, token, wallet: await createFundedWallet(stack.bursar, token) }
  await writeRows(stack, account, await groupsAndAgents(stack, account))
  return { session, token }
}
