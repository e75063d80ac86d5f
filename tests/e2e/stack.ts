/** One stack for all browser tests; where it is and what is in it goes to the tests through the environment. */
import { aStack } from '../stack/aStack.ts'
import { furnish } from './household.ts'

export default async function startOnce(): Promise<() => Promise<void>> {
  const stack = await aStack()
  try {
    process.env.BURSAR_URL = stack.url
    process.env.BURSAR_RPC = stack.rpc[8453]
    process.env.BURSAR_HOUSEHOLD = JSON.stringify(await furnish(stack.bursar))
    return stack.stop
  } catch (error) {
    await stack.stop()
    throw error
  }
}
