/** Test USDC costs nothing, so its recipients must not mistake it for money. */
import { beforeAll, expect, test } from 'vitest'
import { unwrap } from '../../worker/result.ts'
import { usdc } from '../support/build.ts'
import { chain, createPayer, manualChain, prepare, until } from '../support/payer.ts'
import { inTreasury, runNow } from '../support/treasuries.ts'
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
])('mail and claim page of a payout on $name say if it is test money @test-money-1', async ({ on, name, says }) => {
  const payer = await createPayer({ on, limit: '6' })
  const owner = `owner-${payer.userId}@example.com`
  await env.DB.prepare(
    "INSERT INTO user (id, email, status, password_hash, created_at, updated_at) VALUES (?, ?, 'CONFIRMED', 'none', 0, 0)",
  )
    .bind(payer.userId, owner)
    .run()
  const email = `${payer.userId}@example.com`
  const sent = payer.payment({
    to: { type: 'email', email },
    amount: usdc('5'),
  })
  const made = unwrap(await payer.treasury().payAsAgent(sent))
  const { id } = made.payment
  await until('it is funded', async () => {
    if (on === manualChain) {
      await on.mine()
      await runNow(payer, 'settle')
    }
    const { status } = await inTreasury(payer, (o) => o.context.store.payout(id)!)
    return status === 'CREATED'
  })
  const unit = says ? 'Test USDC' : 'USDC'
  const { subject, text } = await findMail(email, `payout-link:${id}`)
  expect(subject).toBe(`You were sent 5.00 ${unit}`)
  expect(/has no value/.test(text)).toBe(says)
  const [claimUrl] = /https?:\S+\/claim\/\S+/.exec(text)!
  const { text: ofBudget } = await findMail(owner, 'budget:')
  expect(ofBudget).toContain(`75% used: 1.00 ${unit} of 6.00 ${unit} is left`)
  const page = await api.call('GET', `/api/escrow/claim/${claimUrl.split('/').at(-1)}`)
  expect(page.json.data).toMatchObject({ chain: name, amount: '5' })
  expect(await payer.treasury().reclaimAll(), 'the total excludes test money').toEqual({
    ok: true,
    value: { count: 1, total: says ? '0' : '5' },
  })
})
