/** Creates a stack's state with a month of use, for `npm run dev -- --sample`. */
import { BursarClient } from '../client.ts'
import { type StackOptions, startStack } from '../stack/stack.ts'
import { sampleBlockTime, startClock } from './clock.ts'
import { fillMonth, monthStart } from './fillMonth.ts'

/**
 * Creates the state in `stateDir`, which must not exist, on a stack that it stops at the end. A stack started there
 * afterwards shows the month. Takes about two minutes. `started` receives a function that stops it early.
 */
export async function makeSample(
  options: Pick<StackOptions, 'port' | 'basePort' | 'sepoliaPort' | 'stateDir' | 'say'>,
  started: (stop: () => Promise<void>) => void = () => {},
): Promise<void> {
  const { say = () => {} } = options
  const startsAt = monthStart(Date.now())
  const stack = await startStack({
    ...options,
    startsAt,
    blockTime: sampleBlockTime,
    quiet: true,
    entry: 'local/sample/worker.ts',
  })
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= stack.stop()
    return stopping
  }
  started(stop)
  try {
    const clock = await startClock(stack.url, [stack.rpc[8453], stack.rpc[84532]], startsAt)
    await fillMonth(new BursarClient(stack.url, stack.rpc[8453]), clock, say)
  } finally {
    await stop()
  }
}
