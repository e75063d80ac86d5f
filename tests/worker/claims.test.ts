import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { lockMs } from '#domain/attempts.ts'
import type { PayoutStatus } from '#domain/payment.ts'
import { dayMs, hourMs, minuteMs } from '#domain/time.ts'
import type { ClaimDesk } from '../../worker/claims/claimDesk.ts'
import { newObjectToken } from '../../worker/identity/objectTokens.ts'
import { sha256 } from '../../worker/identity/secrets.ts'
import { unwrap } from '../../worker/result.ts'
import { enqueue } from '../../worker/treasury/outbox/enqueue.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { countCalls } from '../support/countedCalls.ts'
import { patient } from '../support/patience.ts'
import { chain, fresh, until } from '../support/payer.ts'
import { setClock } from '../support/treasuries.ts'
import { env } from './apiClient.ts'

const api = await createTestApp()
const own = await createAccountFixture(api, { funds: 200_000_000n })

async function createPayout(amount = '2') {
  const payout = await own.createPayout({ amount, senderName: 'Ann', memo: 'Lunch' })
  await until('its page is ready', async () => (await page(payout.link)).json.data?.status === 'CREATED')
  return payout
}
const page = (link: string) => api.call('GET', `/api/escrow/claim/${link}`)
/** Each guess comes from a different network address, unless one is given. */
let callers = 0
const verify = (link: string, passcode: string, from = `2001:db8:${(++callers).toString(16)}::1`) =>
  api.call('POST', '/api/escrow/verify-passcode', { body: { accessToken: link, passcode }, from })
const claim = (link: string, recipientAddress: string, proof: object) =>
  api.call('POST', '/api/escrow/claim', { body: { accessToken: link, recipientAddress, ...proof } })
/** The codes mailed with this link, newest first. */
async function mailedCodes(link: string): Promise<string[]> {
  const inbox = await api.call('GET', '/dev/inbox?to=bob@example.com', {
    headers: { accept: 'application/json' },
    env: { ENVIRONMENT: 'local' },
  })
  const mails = (inbox.json as { text: string }[]).filter((mail) => mail.text.includes(link))
  return mails.map(({ text }) => /^\d{6}$/m.exec(text)![0])
}
const newestCode = (link: string) =>
  until('the new code', async () => {
    const codes = await mailedCodes(link)
    return codes.length > 1 && codes[0]
  })
type Guessed = { id: string; link: string; passcode: string }
/**
 * Guesses in rounds. The desk's clock starts at `startMs` from now and moves past the lock each round. Returns how many
 * guesses were evaluated, and the response to one more.
 */
async function guessFor(payout: Guessed, startMs: number, rounds = 5, bursts = 1, perBurst = 10) {
  const guess = () => verify(payout.link, wrong(payout.passcode))
  let evaluated = 0
  for (let round = 0; round < rounds; round++) {
    await deskClock(payout.id, startMs + round * (lockMs + 1000))
    for (let burst = 0; burst < bursts; burst++) {
      const answers = await Promise.all(Array.from({ length: perBurst }, guess))
      evaluated += answers.filter((answer) => answer.status === 422).length
    }
  }
  return [evaluated, await guess()] as const
}
const inboxOf = async (to: string): Promise<{ subject: string; text: string }[]> =>
  (
    await api.call('GET', `/dev/inbox?to=${to}`, {
      headers: { accept: 'application/json' },
      env: { ENVIRONMENT: 'local' },
    })
  ).json
const wrong = (passcode: string) => String((Number(passcode) + 1) % 1_000_000).padStart(6, '0')
const deskClock = (id: string, ms: number) =>
  runInDurableObject(env.CLAIM_DESK.getByName(id), (desk: ClaimDesk) => {
    desk.clock = { now: () => Date.now() + ms }
  })

describe('claiming', () => {
  test('a recipient without an account claims the money with the link and code from the message @claim-8', async () => {
    const payout = await createPayout('2.5')
    const seen = await page(payout.link)
    expect(seen.json.data).toMatchObject({
      amount: '2.5',
      status: 'CREATED',
      recipientEmail: 'b***@example.com',
      senderName: 'Ann',
      memo: 'Lunch',
      withdrawnToAddress: null,
      withdrawnAt: null,
    })
    expect(seen.headers.get('cache-control')).toBe('no-store')
    expect(seen.headers.get('referrer-policy')).toBe('no-referrer')
    const [newest] = await inboxOf('bob@example.com')
    expect(newest!.text).toContain(payout.link)
    expect(newest!.text.split('\n')).toContain(payout.passcode)

    const verified = await verify(payout.link, payout.passcode)
    expect(verified.json.data).toMatchObject({ verified: true, balance: '2.5' })
    const to = fresh('bob')
    const claimedAt = Date.now()
    const claimed = await claim(payout.link, to, { sessionToken: verified.json.data.sessionToken })
    expect(claimed.json.data.status).toBe('CLAIMING')
    await until('withdrawn', async () => (await page(payout.link)).json.data.status === 'WITHDRAWN')
    expect(await chain.usdcBalance(to)).toBe(2_500_000n)
    const { explorerUrl, withdrawnToAddress, withdrawnAt } = (await page(payout.link)).json.data
    expect(explorerUrl).toContain('/tx/0x')
    expect(withdrawnToAddress).toBe(to)
    expect(Date.parse(withdrawnAt)).toBeGreaterThanOrEqual(claimedAt)
  })

  test('the recipient of a withdrawn payout gets a receipt at the payout’s own mailbox, once @screens-50', async () => {
    const payout = await createPayout('1.25')
    const request = (link: string) => api.call('POST', '/api/escrow/receipt', { body: { accessToken: link } })
    const receipts = async () =>
      (await inboxOf('bob@example.com')).filter(({ subject }) => subject === 'Receipt for 1.25 USDC')
    expect((await request('x'.repeat(43))).status).toBe(404)
    expect(await request(payout.link)).toMatchObject({ status: 409, json: { code: 'conflict' } })
    const to = fresh('receipt')
    const { sessionToken } = (await verify(payout.link, payout.passcode)).json.data
    await claim(payout.link, to, { sessionToken })
    await until('withdrawn', async () => (await page(payout.link)).json.data.status === 'WITHDRAWN')
    for (let i = 0; i < 2; i++)
      expect(await request(payout.link)).toMatchObject({ status: 200, json: { data: { sentTo: 'b***@example.com' } } })
    const [receipt] = await until('the receipt', async () => ((await receipts()).length > 0 ? receipts() : null))
    expect(receipt!.text).toContain(`Sent to: ${to}`)
    expect(receipt!.text).toContain('Note: "Lunch"')
    expect(await receipts()).toHaveLength(1)
    expect(receipt!.text).not.toContain('/claim/')
  })

  test('the receipt of a kept payout names its link, which opens the money @kept-6', async () => {
    const payout = await createPayout('1.35')
    const { sessionToken } = (await verify(payout.link, payout.passcode)).json.data
    await claim(payout.link, fresh('keeper'), { sessionToken, kept: true, passkeyDomain: 'localhost' })
    await until('withdrawn', async () => (await page(payout.link)).json.data.status === 'WITHDRAWN')
    await api.call('POST', '/api/escrow/receipt', { body: { accessToken: payout.link } })
    const receipt = await until('the receipt', async () =>
      (await inboxOf('bob@example.com')).find(({ subject }) => subject === 'Receipt for 1.35 USDC'),
    )
    expect(receipt!.text).toContain('This link opens your money, with your passkey.')
    expect(receipt!.text).toContain(`/claim/${payout.link}`)
  })

  test('when two tabs claim at the same time, one address gets the money and the other tab is refused @claim-9', async () => {
    const payout = await createPayout()
    const { sessionToken } = (await verify(payout.link, payout.passcode)).json.data
    const [a, b] = [fresh('a'), fresh('b')]
    const answers = await Promise.all([
      claim(payout.link, a, { sessionToken }),
      claim(payout.link, b, { sessionToken }),
    ])
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409])
    await until('withdrawn', async () => (await page(payout.link)).json.data.status === 'WITHDRAWN')
    expect(((await chain.usdcBalance(a)) + (await chain.usdcBalance(b))).toString()).toBe('2000000')
  })

  test('the first accepted of a concurrent claim and reclaim wins, and the other is refused @claim-10', async () => {
    const payout = await createPayout()
    const { sessionToken } = (await verify(payout.link, payout.passcode)).json.data
    const to = fresh('race')
    const [claimed, reclaimed] = await Promise.all([
      claim(payout.link, to, { sessionToken }),
      own.asOwner('POST', `/escrow/${payout.id}/reclaim`),
    ])
    expect([claimed.status, reclaimed.status].filter((status) => status === 200)).toHaveLength(1)
    const ended = await until('ended', async () => {
      const { status } = (await own.asOwner('GET', `/escrow/${payout.id}`)).json.data
      return status === 'WITHDRAWN' || status === 'RECLAIMED' ? (status as string) : null
    })
    expect(await chain.usdcBalance(to)).toBe(ended === 'WITHDRAWN' ? 2_000_000n : 0n)
    expect(ended).toBe(claimed.status === 200 ? 'WITHDRAWN' : 'RECLAIMED')
  })

  test('a claim to the payer, the payout, USDC, the escrow, zero or a burn address is refused @claim-28', async () => {
    const payout = await createPayout()
    const { sessionToken } = (await verify(payout.link, payout.passcode)).json.data
    for (const address of [
      own.walletAddress,
      payout.address,
      chain.contracts.usdc,
      chain.contracts.escrow,
      `0x${'0'.repeat(40)}`,
      '0x000000000000000000000000000000000000dEaD',
      '0x4200000000000000000000000000000000000006',
    ])
      expect(await claim(payout.link, address, { sessionToken }), address).toMatchObject({
        status: 400,
        json: { field: 'recipientAddress' },
      })
  })
})

describe('guessing', () => {
  test('I8: five of 64 concurrent guesses are evaluated, then the payout locks; the right code works after the wait @claim-11', async () => {
    const payout = await createPayout()
    const answers = await Promise.all(Array.from({ length: 64 }, () => verify(payout.link, wrong(payout.passcode))))
    expect(answers.filter((answer) => answer.status === 422)).toHaveLength(5)
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(59)
    expect(answers.find((answer) => answer.status === 429)?.json.error).toBe(
      'Too many attempts. Try again in 15 minutes.',
    )
    expect((await verify(payout.link, payout.passcode)).status).toBe(429)
    await deskClock(payout.id, lockMs + 1000)
    expect((await verify(payout.link, payout.passcode)).status).toBe(200)
  })

  test(
    'only 20 of 1,000 guesses by 64 clients are evaluated per code, even if they wait out each lock @claim-12',
    async () => {
      const payout = await createPayout()
      const [evaluated, last] = await guessFor(payout, 0, 8, 2, 64)
      expect(evaluated).toBe(20)
      expect(last).toMatchObject({
        status: 429,
        json: { error: 'Too many attempts: a code allows 20. A new one is on its way.', field: 'passcode' },
      })
      const sent = await own.asOwner('POST', `/escrow/${payout.id}/resend`)
      expect(sent.json.data).toEqual({ resendsLeft: 2 })
      expect((await verify(payout.link, payout.passcode)).status, 'the old code is no longer valid').toBe(422)
      expect((await verify(payout.link, await newestCode(payout.link))).status).toBe(200)
    },
    patient(180_000),
  )

  test('someone with only the link gets 60 tries; the recipient is mailed two new codes, a day apart @claim-15', async () => {
    const payout = await createPayout()
    const desk = env.CLAIM_DESK.getByName(payout.id)
    expect((await guessFor(payout, 0))[0]).toBe(20)
    expect(await runDurableObjectAlarm(desk)).toBe(true)
    const first = await newestCode(payout.link)
    const [more, waiting] = await guessFor(payout, 2 * hourMs)
    expect(more).toBe(20)
    expect(waiting.json.error).toMatch(/^Too many attempts: a code allows 20\. A new one will be sent in 2\d hours\.$/)
    expect(Number(waiting.headers.get('retry-after'))).toBeGreaterThan(20 * 3600)
    await runDurableObjectAlarm(desk)
    expect((await mailedCodes(payout.link)).length, 'not before the day is over').toBe(2)

    await deskClock(payout.id, dayMs + hourMs)
    await runDurableObjectAlarm(desk)
    const second = await until('the second new code', async () => {
      const codes = await mailedCodes(payout.link)
      return codes.length === 3 && codes[0]
    })
    expect((await verify(payout.link, first)).status, 'replaced').toBe(422)
    expect((await verify(payout.link, second)).status).toBe(200)
    expect((await guessFor(payout, dayMs + hourMs))[0]).toBe(19)
    expect(await verify(payout.link, second)).toMatchObject({
      status: 429,
      json: { error: 'Too many attempts. Ask the sender for a new code.' },
    })
    const sent = await own.asOwner('POST', `/escrow/${payout.id}/resend`)
    expect(sent.json.data, 'automatic renewals do not count as the sender’s').toEqual({ resendsLeft: 2 })
    const third = await until('the sender’s code', async () => {
      const codes = await mailedCodes(payout.link)
      return codes.length === 4 && codes[0]
    })
    expect((await verify(payout.link, third)).status).toBe(200)
  })

  test('a payout that has ended gets no new code', async () => {
    const payout = await createPayout()
    expect((await guessFor(payout, 0))[0]).toBe(20)
    expect((await own.asOwner('POST', `/escrow/${payout.id}/reclaim`)).status).toBe(200)
    await runDurableObjectAlarm(env.CLAIM_DESK.getByName(payout.id))
    expect(await mailedCodes(payout.link)).toHaveLength(1)
  })

  test('a recipient can request a new code once a minute, three times; used tries still count @claim-13', async () => {
    const payout = await createPayout()
    const resend = () => api.call('POST', '/api/escrow/resend-passcode', { body: { accessToken: payout.link } })
    const clock = (ms: number) => setClock(own, () => Date.now() + ms)
    for (let i = 0; i < 4; i++) await verify(payout.link, wrong(payout.passcode))
    expect(await resend()).toMatchObject({
      status: 429,
      json: { error: expect.stringMatching(/^Please wait \d+ seconds/) },
    })
    for (let i = 1; i <= 3; i++) {
      await clock(i * 61_000)
      expect(await resend()).toMatchObject({ status: 200, json: { data: { sentTo: 'b***@example.com' } } })
    }
    await clock(300_000)
    expect(await resend()).toMatchObject({
      status: 429,
      json: { error: 'A new code can be sent 3 times, then once a day. Try again in 24 hours, or ask the sender.' },
    })
    expect((await verify(payout.link, payout.passcode)).json.error, 'the fifth wrong try locks').toBe(
      'Invalid passcode. Too many attempts. Try again in 15 minutes.',
    )
    expect((await verify(payout.link, await newestCode(payout.link))).status).toBe(429)
    await clock(0)
  })

  test('a claim with an unknown link, an unknown session, a wrong code or no proof is refused @claim-14', async () => {
    const payout = await createPayout()
    expect(await page('x'.repeat(43))).toMatchObject({
      status: 404,
      json: { error: 'This payout link is invalid or has expired.' },
    })
    expect((await verify('x'.repeat(43), '123456')).status).toBe(404)
    expect((await claim(payout.link, fresh('x'), { sessionToken: 'nonsense' })).status).toBe(422)
    expect((await claim(payout.link, fresh('x'), { passcode: wrong(payout.passcode) })).status).toBe(422)
    expect((await claim(payout.link, fresh('x'), {})).status).toBe(400)
  })
})

test('creating a payout sends only its own claim page, and waits for nothing else @claim-25', async () => {
  const other = await createPayout()
  const treasury = env.TREASURY.getByName(own.user)
  const waiting = (context: Treasury['context']) =>
    context.store.all("SELECT kind FROM outbox WHERE kind = 'desk' AND ref = ?", other.id)
  await runInDurableObject(treasury, ({ context }: Treasury) => {
    enqueue(context, 'desk', other.id)
    context.store.run("UPDATE outbox SET due_at = ? WHERE kind = 'desk'", Date.now() + hourMs)
  })
  const input = { sourceWalletId: own.wallet, amount: '2', recipientEmail: 'bob@example.com' }
  const made = await own.asOwner('POST', '/escrow/create', input)
  expect((await page(made.json.data.claimUrl.split('/claim/')[1])).status).toBe(200)
  await runInDurableObject(treasury, ({ context }: Treasury) => {
    expect(waiting(context)).toHaveLength(1)
    context.store.run("UPDATE outbox SET due_at = 0 WHERE kind = 'desk'")
  })
})

test('a link with a wrong secret gets the reply of an unknown one everywhere, and counts no attempt @claim-26', async () => {
  const payout = await createPayout()
  const unknown = 'x'.repeat(52)
  const noPayout = newObjectToken(env, 'claim_link', `${payout.id.slice(0, -4)}0000`, randomBytes, Date.now())
  const otherSecret = newObjectToken(env, 'claim_link', payout.id, randomBytes, Date.now())
  const resend = (link: string) => api.call('POST', '/api/escrow/resend-passcode', { body: { accessToken: link } })
  const replies = async (link: string) =>
    (
      await Promise.all([
        page(link),
        verify(link, payout.passcode),
        claim(link, fresh('x'), { passcode: payout.passcode }),
        resend(link),
      ])
    ).map(({ status, text }) => ({ status, text }))
  const expected = await replies(unknown)
  expect(expected.map(({ status }) => status)).toEqual([404, 404, 404, 404])
  for (const link of [noPayout, otherSecret]) expect(await replies(link)).toEqual(expected)
  for (let i = 0; i < 6; i++) await verify(otherSecret, wrong(payout.passcode))
  expect((await verify(payout.link, payout.passcode)).status).toBe(200)
})

test('a link that we did not issue addresses no object @claim-27', async () => {
  const counter = countCalls(env)
  const forged = `${'A'.repeat(51)}B`
  for (const link of ['x', 'x'.repeat(43), forged])
    expect((await api.call('GET', `/api/escrow/claim/${link}`, { env: counter.env })).status).toBe(404)
  counter.stop()
  expect(counter.roundTrips()).toEqual([])
})

test('with an expired claim session the code is required again, and checked if the request has it @claim-17', async () => {
  const payout = await createPayout()
  const { sessionToken } = (await verify(payout.link, payout.passcode)).json.data
  await deskClock(payout.id, 15 * minuteMs + 1)
  const to = fresh('late')
  expect(await claim(payout.link, to, { sessionToken })).toMatchObject({
    status: 422,
    json: { error: 'Please enter your code again.', field: 'passcode' },
  })
  expect(await claim(payout.link, to, { sessionToken, passcode: wrong(payout.passcode) })).toMatchObject({
    status: 422,
    json: { error: 'Invalid passcode. 4 tries left.', field: 'passcode' },
  })
  expect((await claim(payout.link, to, { sessionToken, passcode: payout.passcode })).status).toBe(200)
  await deskClock(payout.id, 0)
})

test('an expired link returns 410 unless the payout is being or was claimed; before expiry an unfunded payout shows FAILED @claim-18', async () => {
  const payout = await createPayout()
  const desk = env.CLAIM_DESK.getByName(payout.id)
  const status = async (status: PayoutStatus) => {
    const view = unwrap(await desk.view(sha256(payout.link)))
    await desk.update({ ...view, edition: view.edition + 1, status })
    return page(payout.link)
  }
  expect((await status('FAILED')).json.data.status).toBe('FAILED')
  const today = api.clock.now
  api.clock.now += 91 * dayMs
  try {
    for (const ended of ['CREATED', 'RECLAIMED', 'FAILED'] as const)
      expect(await status(ended), ended).toMatchObject({
        status: 410,
        json: { error: 'This payout link is invalid or has expired.' },
      })
    expect((await status('CLAIMING')).json.data.status).toBe('CLAIMING')
    expect((await status('WITHDRAWN')).json.data.status).toBe('WITHDRAWN')
  } finally {
    api.clock.now = today
  }
})

test('claim pages and codes have separate limits per minute and network address @claim-16', async () => {
  const limited = { LIMITS: '{"claimReadsPerMinute":3,"claimTriesPerMinute":2}' }
  const from = '203.0.113.9'
  const link = 'x'.repeat(43)
  const calls = {
    reads: () => api.call('GET', `/api/escrow/claim/${link}`, { from, env: limited }),
    tries: () =>
      api.call('POST', '/api/escrow/verify-passcode', {
        from,
        env: limited,
        body: { accessToken: link, passcode: '123456' },
      }),
  }
  for (const [kind, max] of [
    ['reads', 3],
    ['tries', 2],
  ] as const) {
    for (let i = 0; i < max; i++) expect((await calls[kind]()).status).toBe(404)
    const refused = await calls[kind]()
    expect(refused.status).toBe(429)
    expect(refused.json.error).toMatch(
      new RegExp(`^Too many requests: the limit is ${max} in 60 seconds\\. Try again in \\d+ s\\.$`),
    )
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    expect(refused.headers.get('ratelimit')).toMatch(new RegExp(`^"claim-${kind}";r=0;t=\\d+$`))
  }
  const elsewhere = await api.call('GET', `/api/escrow/claim/${link}`, { from: '203.0.113.10', env: limited })
  expect(elsewhere.status).toBe(404)
})
