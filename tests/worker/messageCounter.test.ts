/** Messages that new accounts together send to one recipient. */

import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { dayMs } from '#domain/time.ts'
import { messageCounterOf } from '../../worker/messageCounts/counterOf.ts'
import { unwrap } from '../../worker/result.ts'
import { established } from '../../worker/treasury/limits/accountAge.ts'
import { toEmail } from '../support/build.ts'
import { createPayer, type Payer, prepare } from '../support/payer.ts'
import { inTreasury } from '../support/treasuries.ts'
import { env } from './apiClient.ts'

await prepare()
const most = 5

/** A payer whose account is new. It pays with this clock. */
async function createNew(clock: { now: number }): Promise<Payer> {
  const payer = await createPayer()
  await inTreasury(payer, ({ context }) => {
    const limits = { establishedAfterPayments: 1_000, newAccountMessagesPerRecipient: most }
    established(context).isKnown = false
    Object.assign(context, { now: () => clock.now, limits: { ...context.limits, ...limits } })
  })
  return payer
}

test('new accounts together send one mailbox at most five messages a day, also at the same time @limits-40', async () => {
  const clock = { now: Date.now() }
  const payers = [await createNew(clock), await createNew(clock)]
  const paid = (emails: string[]) =>
    Promise.all(
      emails.map(async (email, i) => {
        const result = await payers[i % 2]!.pay({ to: toEmail(email) })
        return result.ok ? 'paid' : result.refusal?.rule
      }),
    )
  const ann = ['ann@gmail.com', 'a.nn@gmail.com', 'ann+a@gmail.com', 'Ann@googlemail.com']
  const refused = 'limits.new_account_messages'
  const dryRun = async () => {
    const { principal, terms } = payers[0]!.payment({ to: toEmail('ann@gmail.com') })
    const { refusal } = unwrap(await payers[0]!.treasury().checkPayment(principal, terms))
    return refusal?.rule ?? 'paid'
  }
  for (let i = 0; i < 2 * most; i++) expect(await dryRun(), 'dry runs are not counted').toBe('paid')
  const first = await paid([...ann, ...ann])
  expect(first.toSorted()).toEqual([...Array(8 - most).fill(refused), ...Array(most).fill('paid')])
  expect(await paid(['ann@gmail.com', 'bob@gmail.com'])).toEqual([refused, 'paid'])
  expect(await dryRun()).toBe(refused)
  clock.now += dayMs
  expect(await paid(['ann@gmail.com'])).toEqual(['paid'])
})

test('a counter counts each day for itself, in the order of days, and erases itself afterwards @limits-41', async () => {
  const counter = messageCounterOf(env, 'email:carol@example.com', Date.now())
  const counted = async (day: number) => {
    let n = 0
    while (n < 10 && (await counter.count(day, most))) n += 1
    return n
  }
  expect(await counted(100)).toBe(most)
  expect(await counted(101)).toBe(most)
  expect(await counted(100), 'a clock that is late gets no second count').toBe(0)
  const stored = () => runInDurableObject(counter, async (_, { storage }) => (await storage.list()).size)
  expect(await stored()).toBe(1)
  expect(await runDurableObjectAlarm(counter)).toBe(true)
  expect(await stored()).toBe(0)
})
