/** Test USDC costs nothing, so its recipients must not take it for money. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { beforeAll, expect, test } from 'vitest'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { chain, createPayer, manualChain, prepare, until, usdc } from '../support/payer.ts'
import { createApi, env } from './apiClient.ts'

const api = createApi()
beforeAll(prepare)

const findMail = (to: string, part: string) =>
  until(`a mail to ${to}: ${part}`, async () => {
    const query = "SELECT subject, text FROM dev_inbox WHERE recipient = ? AND id LIKE ? || '%'"
    return env.DB.prepare(query).bind(to, part).first<{ subject: string; text: string }>()
  })

test.each([
  { on: manualChain, name: 'base-sepolia', says: true },
  { on: chain, name: 'base', says: false },
])('a payout on $name: mail and claim page say whether it is test money', async ({ on, name, says }) => {
  const payer = await createPayer({ on })
  const email = `${payer.userId}@example.com`
  const sent = payer.payment({
    principal: { type: 'user' },
    walletId: payer.wallet.id,
    to: { type: 'email', email },
    amount: usdc('5'),
  })
  const made = await payer.treasury().createPayout(sent)
  if (!made.ok) throw new Error(made.message)
  const { id, claimUrl } = made.value
  await until('it is funded', async () => {
    if (on === manualChain) {
      await on.mine()
      await runInDurableObject(payer.treasury(), (object: Treasury) => object.context.schedule('settle', 1))
      await runDurableObjectAlarm(payer.treasury())
    }
    const { status } = await runInDurableObject(payer.treasury(), (o: Treasury) => o.context.store.payout(id)!)
    return status === 'CREATED'
  })
  const { subject, text } = await findMail(email, `payout-link:${id}`)
  expect(subject.includes('5 test USDC')).toBe(says)
  expect(/has no value/.test(text)).toBe(says)
  const page = await api.call('GET', `/api/escrow/claim/${claimUrl.split('/').at(-1)}`)
  expect(page.json.data).toMatchObject({ chain: name, amount: '5' })
  expect(await payer.treasury().reclaimAll(), 'the sum of money leaves test money out').toEqual({
    ok: true,
    value: { count: 1, total: says ? '0' : '5' },
  })
})
