import { runInDurableObject } from 'cloudflare:test'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ClaimDesk } from '../../worker/claims/claimDesk.ts'
import { lockMs } from '../../worker/domain/attempts.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { aHousehold, aTown, type Household } from '../support/household.ts'
import { chain, fresh, until } from '../support/payer.ts'
import { type Api, env } from './apiClient.ts'

let api: Api
let own: Household

beforeAll(async () => {
  api = await aTown()
  own = await aHousehold(api, { funds: 200_000_000n })
}, 60_000)

async function aPayout(amount = '2') {
  const answer = await api.call('POST', '/api/escrow/create', {
    token: own.token,
    body: { sourceWalletId: own.wallet, amount, recipientEmail: 'bob@example.com', senderName: 'Ann', memo: 'Lunch' },
  })
  expect(answer.status, answer.text).toBe(201)
  const { escrowId, claimUrl, passcode, escrowSubwalletAddress } = answer.json.data as Record<string, string>
  const link = claimUrl!.split('/claim/')[1]!
  await until('created', async () => (await page(link)).json.data?.status === 'CREATED')
  return { id: escrowId!, link, passcode: passcode!, address: escrowSubwalletAddress as `0x${string}` }
}
const page = (link: string) => api.call('GET', `/api/escrow/claim/${link}`)
const verify = (link: string, passcode: string) =>
  api.call('POST', '/api/escrow/verify-passcode', { body: { accessToken: link, passcode } })
const claim = (link: string, recipientAddress: string, proof: object) =>
  api.call('POST', '/api/escrow/claim', { body: { accessToken: link, recipientAddress, ...proof } })
const newestCode = (link: string) =>
  until('the new code', async () => {
    const inbox = await api.call('GET', '/dev/inbox?to=bob@example.com', {
      headers: { accept: 'application/json' },
      env: { ENVIRONMENT: 'local' },
    })
    const mails = (inbox.json as { text: string }[]).filter((mail) => mail.text.includes(link))
    return mails.length > 1 && /^\d{6}$/m.exec(mails[0]!.text)?.[0]
  })
const wrong = (passcode: string) => String((Number(passcode) + 1) % 1_000_000).padStart(6, '0')
const deskClock = (id: string, ms: number) =>
  runInDurableObject(env.CLAIM_DESK.getByName(id), (desk: ClaimDesk) => {
    desk.clock = { now: () => Date.now() + ms }
  })

describe('claiming', () => {
  test('link and code from the message lead a stranger to the money', async () => {
    const payout = await aPayout('2.5')
    const seen = await page(payout.link)
    expect(seen.json.data).toMatchObject({
      amount: '2.5',
      status: 'CREATED',
      recipientEmail: 'b***@example.com',
      senderName: 'Ann',
      memo: 'Lunch',
    })
    expect(seen.headers.get('cache-control')).toBe('no-store')
    expect(seen.headers.get('referrer-policy')).toBe('no-referrer')
    const inbox = await api.call('GET', '/dev/inbox?to=bob@example.com', {
      headers: { accept: 'application/json' },
      env: { ENVIRONMENT: 'local' },
    })
    expect(inbox.json[0].text).toContain(payout.link)
    expect(inbox.json[0].text.split('\n')).toContain(payout.passcode)

    const verified = await verify(payout.link, payout.passcode)
    expect(verified.json.data).toMatchObject({ verified: true, balance: '2.5' })
    const to = fresh('bob')
    const claimed = await claim(payout.link, to, { sessionToken: verified.json.data.sessionToken })
    expect(claimed.json.data.status).toBe('CLAIMING')
    await until('withdrawn', async () => (await page(payout.link)).json.data.status === 'WITHDRAWN')
    expect(await chain.usdcBalance(to)).toBe(2_500_000n)
    expect((await page(payout.link)).json.data.explorerUrl).toContain('/tx/0x')
  }, 40_000)

  test('two tabs claim at once: one address gets the money, the other tab is told', async () => {
    const payout = await aPayout()
    const { sessionToken } = (await verify(payout.link, payout.passcode)).json.data
    const [a, b] = [fresh('a'), fresh('b')]
    const answers = await Promise.all([
      claim(payout.link, a, { sessionToken }),
      claim(payout.link, b, { sessionToken }),
    ])
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409])
    await until('withdrawn', async () => (await page(payout.link)).json.data.status === 'WITHDRAWN')
    expect(((await chain.usdcBalance(a)) + (await chain.usdcBalance(b))).toString()).toBe('2000000')
  }, 40_000)

  test('claim against reclaim: the first accepted wins, the other is told', async () => {
    const payout = await aPayout()
    const { sessionToken } = (await verify(payout.link, payout.passcode)).json.data
    const to = fresh('race')
    const [claimed, reclaimed] = await Promise.all([
      claim(payout.link, to, { sessionToken }),
      api.call('POST', `/api/escrow/${payout.id}/reclaim`, { token: own.token }),
    ])
    expect([claimed.status, reclaimed.status].filter((status) => status === 200)).toHaveLength(1)
    const ended = await until('ended', async () => {
      const { status } = (await api.call('GET', `/api/escrow/${payout.id}`, { token: own.token })).json.data
      return status === 'WITHDRAWN' || status === 'RECLAIMED' ? (status as string) : null
    })
    expect(await chain.usdcBalance(to)).toBe(ended === 'WITHDRAWN' ? 2_000_000n : 0n)
    expect(ended).toBe(claimed.status === 200 ? 'WITHDRAWN' : 'RECLAIMED')
  }, 40_000)

  test('the money cannot go to the payer, the payout, USDC, the escrow or zero', async () => {
    const payout = await aPayout()
    const { sessionToken } = (await verify(payout.link, payout.passcode)).json.data
    for (const address of [
      own.walletAddress,
      payout.address,
      chain.contracts.usdc,
      chain.contracts.escrow,
      `0x${'0'.repeat(40)}`,
    ])
      expect(await claim(payout.link, address, { sessionToken }), address).toMatchObject({
        status: 400,
        json: { field: 'recipientAddress' },
      })
  }, 40_000)
})

describe('guessing', () => {
  test('I8: 64 guesses at once are five tries, then a lock; the right code works after the wait', async () => {
    const payout = await aPayout()
    const answers = await Promise.all(Array.from({ length: 64 }, () => verify(payout.link, wrong(payout.passcode))))
    expect(answers.filter((answer) => answer.status === 422)).toHaveLength(5)
    expect(answers.filter((answer) => answer.status === 429)).toHaveLength(59)
    expect(answers.find((answer) => answer.status === 429)?.json.error).toBe(
      'Too many attempts. Try again in 15 minutes.',
    )
    expect((await verify(payout.link, payout.passcode)).status).toBe(429)
    await deskClock(payout.id, lockMs + 1000)
    expect((await verify(payout.link, payout.passcode)).status).toBe(200)
  }, 40_000)

  test('20 tries in a life, whatever the waiting', async () => {
    const payout = await aPayout()
    let evaluated = 0
    for (let round = 0; round < 12; round++) {
      await deskClock(payout.id, round * (lockMs + 1000))
      const answers = await Promise.all(Array.from({ length: 10 }, () => verify(payout.link, wrong(payout.passcode))))
      evaluated += answers.filter((answer) => answer.status === 422).length
    }
    expect(evaluated).toBe(20)
    expect(await verify(payout.link, payout.passcode)).toMatchObject({
      status: 429,
      json: { error: 'Too many attempts. Ask the sender for a new code.' },
    })
  }, 40_000)

  test('5,000 guesses of 64 clients with the clock moved past each lock: 20 are evaluated, until the sender sends a new code', async () => {
    const payout = await aPayout()
    let evaluated = 0
    let asked = 0
    for (let round = 0; asked < 5_000; round++) {
      await deskClock(payout.id, round * (lockMs + 1000))
      for (let burst = 0; burst < 10; burst++, asked += 64) {
        const answers = await Promise.all(Array.from({ length: 64 }, () => verify(payout.link, wrong(payout.passcode))))
        evaluated += answers.filter((answer) => answer.status === 422).length
      }
    }
    expect(evaluated).toBe(20)
    expect((await verify(payout.link, payout.passcode)).status).toBe(429)
    const sent = await api.call('POST', `/api/escrow/${payout.id}/resend`, { token: own.token })
    expect(sent.json.data).toEqual({ resendsLeft: 2 })
    expect((await verify(payout.link, payout.passcode)).status, 'the old code is over').toBe(422)
    expect((await verify(payout.link, await newestCode(payout.link))).status).toBe(200)
  }, 90_000)

  test('the recipient gets a new code once a minute, three times, and keeps the tries', async () => {
    const payout = await aPayout()
    const resend = () => api.call('POST', '/api/escrow/resend-passcode', { body: { accessToken: payout.link } })
    const clock = (ms: number) =>
      runInDurableObject(env.TREASURY.getByName(own.user), (treasury: Treasury) => {
        treasury.context.now = () => Date.now() + ms
      })
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
    expect((await resend()).status).toBe(429)
    expect((await verify(payout.link, payout.passcode)).json.error, 'the fifth wrong try locks').toBe(
      'Invalid passcode',
    )
    expect((await verify(payout.link, await newestCode(payout.link))).status).toBe(429)
    await clock(0)
  }, 40_000)

  test('an unknown link, a wrong session and a code as a session lead nowhere', async () => {
    const payout = await aPayout()
    expect(await page('x'.repeat(43))).toMatchObject({
      status: 404,
      json: { error: 'This payout link is invalid or has expired.' },
    })
    expect((await verify('x'.repeat(43), '123456')).status).toBe(404)
    expect((await claim(payout.link, fresh('x'), { sessionToken: 'nonsense' })).status).toBe(422)
    expect((await claim(payout.link, fresh('x'), { passcode: wrong(payout.passcode) })).status).toBe(422)
    expect((await claim(payout.link, fresh('x'), {})).status).toBe(400)
  }, 40_000)
})
