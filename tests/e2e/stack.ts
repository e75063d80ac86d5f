/** One stack for all browser tests; where it is and what is in it goes to the tests through the environment. */
import { aFundedWallet, aStack } from '../stack/aStack.ts'
import { enlarge } from '../support/largeAccount.ts'
import { anAccount } from './accounts.ts'
import { furnish } from './household.ts'

export default async function startOnce(): Promise<() => Promise<void>> {
  const stack = await aStack()
  try {
    process.env.BURSAR_URL = stack.url
    process.env.BURSAR_RPC = stack.rpc[8453]
    const { session } = await anAccount(stack.bursar)
    const token = session.accessToken
    await enlarge(stack, { userId: session.user.id, token, wallet: await aFundedWallet(stack.bursar, token) })
    process.env.BURSAR_LARGE = JSON.stringify(session)
    process.env.BURSAR_HOUSEHOLD = JSON.stringify(await furnish(stack.bursar))
    return stack.stop
  } catch (error) {
    await stack.stop()
    throw error
  }
}
