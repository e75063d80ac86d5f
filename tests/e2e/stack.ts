/** One stack for all browser tests; where it is and what is in it goes to the tests through the environment. */
import { aFundedWallet, aStack, type TestStack } from '../stack/aStack.ts'
import { groupsAndAgents, writeRows } from '../support/largeAccount.ts'
import { anAccount } from './accounts.ts'
import { furnish } from './household.ts'

export default async function startOnce(): Promise<() => Promise<void>> {
  const stack = await aStack()
  try {
    process.env.BURSAR_URL = stack.url
    process.env.BURSAR_RPC = stack.rpc[8453]
    process.env.BURSAR_STATE = stack.stateDir
    const [household, large] = await Promise.all([furnish(stack.bursar), aLargeAccount(stack)])
    await writeRows(stack, large.account, large.agents)
    process.env.BURSAR_LARGE = JSON.stringify(large.session)
    process.env.BURSAR_HOUSEHOLD = JSON.stringify(household)
    return stack.stop
  } catch (error) {
    await stack.stop()
    throw error
  }
}

/** All of it but the rows, for which the Worker must be down. */
async function aLargeAccount(stack: TestStack) {
  const { session } = await anAccount(stack.bursar)
  const token = session.accessToken
  const account = { userId: session.user.id, token, wallet: await aFundedWallet(stack.bursar, token) }
  return { session, account, agents: await groupsAndAgents(stack, account) }
}
