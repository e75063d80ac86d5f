/**
 * How much longer an agent's payments take while the tabs of another account call. Slices of payments with and without them
 * alternate (quiet, beside, beside, quiet, …), so that a change of the machine's speed falls on both. What counts is the median
 * of the ratios of their medians.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { agentAt } from '../../support/agentCalls.ts'
import { addressFor, createSender, pause } from '../../support/stackClient.ts'
import type { TestStack } from '../../support/testStack.ts'
import type { Counts, Tabs } from './caller.ts'

const kinds = ['quiet', 'beside'] as const
type Times = Record<(typeof kinds)[number], number[]>
const warmUpMs = 1_000 // 1 second

/** Of two values in the middle, the larger. */
const at = (values: number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.ceil((values.length - 1) * share)]!

type Beside = Omit<Tabs, 'url'> & { pairs: number; samples: number; most: number; what: string }

/** Prints the figures. Returns whether payments took at most `most` times as long, and all calls were answered. */
export async function payBeside(stack: TestStack, { pairs, samples, most, what, ...tabs }: Beside): Promise<boolean> {
  const payer = await createSender(stack, { funds: '200', limit: 1000 })
  const payingAgent = agentAt(stack.url, payer.agents[0]!.apiKey)
  const input: Tabs = { url: stack.url, ...tabs }
  const child = fork(new URL('caller.ts', import.meta.url).pathname, [JSON.stringify(input)])
  let counts: Counts = { answers: 0, failed: [], longestMs: 0 }

  const measure = async (): Promise<number[]> => {
    const times: number[] = []
    for (let i = 0; i < samples; i++) {
      const startedAt = performance.now()
      await payingAgent.pay({ to: addressFor('merchant'), amount: '0.001' })
      times.push(performance.now() - startedAt)
      await pause(100)
    }
    return times
  }
  const measureBeside = async (): Promise<number[]> => {
    child.send('start')
    await pause(warmUpMs)
    const times = await measure()
    const reported = once(child, 'message') as Promise<[Counts]>
    child.send('stop')
    counts = (await reported)[0]
    return times
  }

  await measure() // warms up
  const all: Times = { quiet: [], beside: [] }
  const ratios: number[] = []
  for (let i = 0; i < pairs; i++) {
    const pair: Times = { quiet: [], beside: [] }
    for (const kind of i % 2 === 0 ? kinds : kinds.toReversed())
      pair[kind] = kind === 'quiet' ? await measure() : await measureBeside()
    for (const kind of kinds) all[kind].push(...pair[kind])
    ratios.push(at(pair.beside, 0.5) / at(pair.quiet, 0.5))
  }
  child.disconnect()

  const ratio = at(ratios, 0.5)
  const isFair = ratio <= most
  console.log(`pay: ${ratio.toFixed(2)} times as long beside ${what}${isFair ? '' : `  TOO SLOW: at most ${most}`}`)
  console.log(`each pair: ${ratios.map((each) => each.toFixed(2)).join(' ')}`)
  for (const kind of kinds) {
    const [median, slow] = [at(all[kind], 0.5), at(all[kind], 0.95)]
    console.log(`${kind}: median ${median.toFixed(1)} ms, 95th percentile ${slow.toFixed(1)} ms`)
  }
  const { answers, failed, longestMs } = counts
  console.log(
    `${answers} answers to the ${tabs.count} tabs, the longest after ${longestMs.toFixed(0)} ms; failed: ${failed.length}`,
  )
  for (const each of failed.slice(0, 3)) console.log(each)
  // Each tab has to get some, or nothing was measured.
  return isFair && answers >= pairs * tabs.count && failed.length === 0
}
