import { beforeAll, describe, expect, test } from 'vitest'
import { dayMs, minuteMs } from '#domain/time.ts'
import type { Address } from '../../worker/chain/types.ts'
import { followDeploy } from '../../worker/treasury/wallets/deploy.ts'
import { openKeys } from '../../worker/treasury/wallets/sessionKeys.ts'
import { type AccountFixture, createAccountFixture, createTestApp } from '../support/accountFixture.ts'
import { owner, usdc } from '../support/build.ts'
import { accepted, chain, createPayer, manualChain, until } from '../support/payer.ts'
import { inTreasury, setClock } from '../support/treasuries.ts'
import { env, party } from '../support/workerChain.ts'
import { createUser } from './apiClient.ts'

const api = await createTestApp()

const list = async (token: string) => (await api.call('GET', '/api/wallets', { token })).json.data
const deploy = (token: string, key?: string, name?: string) =>
  api.call('POST', '/api/wallets/smart-wallets-v2/deploy', {
    token,
    body: { ownerAddress: party('an owner').address, chainId: 8453, ...(name && { name }) },
    ...(key && { headers: { 'idempotency-key': key } }),
  })

describe('renaming a wallet @wallets-13', () => {
  let own: AccountFixture
  const rename = (name: unknown) => own.asOwner('PUT', `/wallets/${own.wallet}`, { name })
  beforeAll(async () => {
    own = await createAccountFixture(api)
  })

  test.each([
    ['  Operations  ', 'Operations'],
    ['🦊 Fox & Söhne', '🦊 Fox & Söhne'],
    ['🦊'.repeat(60), '🦊'.repeat(60)],
    ['   ', null],
    ['', null],
    [null, null],
  ])('renaming a wallet to %j shows %j', async (name, shown) => {
    const answer = await rename(name)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.json.data.name).toBe(shown)
    expect((await list(own.token))[0].name).toBe(shown)
  })

  test.each([['x'.repeat(61)], ['🦊'.repeat(61)], ['x'.repeat(10_000)], [42], [{}], [['a']]])(
    'renaming a wallet to %j is refused',
    async (name) => {
      const answer = await rename(name)
      expect(answer.status, answer.text).toBe(400)
      expect(answer.json.field).toBe('name')
    },
  )
})

describe('deleting a wallet @wallets-14', () => {
  test('deleting a wallet is refused with the reason while a payment is open, a payout is unclaimed or a group uses it', async () => {
    const own = await createAccountFixture(api)
    const remove = () => own.asOwner('DELETE', `/wallets/${own.wallet}`)
    const refusedWith = async (text: string) => {
      const answer = await remove()
      expect(answer.status, answer.text).toBe(409)
      expect(answer.json.error).toContain(text)
    }
    const escrow = await own.asOwner('POST', '/escrow/create', {
      sourceWalletId: own.wallet,
      amount: '2',
      recipientEmail: 'x@example.com',
    })
    await refusedWith('1 payment of this wallet is still in progress')
    const id = escrow.json.data.escrowId
    const is = (status: string) =>
      until(status, async () => {
        const found = await own.asOwner('GET', `/escrow/${id}`)
        return found.json.data.status === status
      })
    await is('CREATED')
    await refusedWith('1 unclaimed payout')
    await own.asOwner('POST', `/escrow/${id}/reclaim`, {})
    await is('RECLAIMED')
    await refusedWith('the policy group “Group”')
    expect(await list(own.token)).toHaveLength(1)
  })

  test('deleting a wallet hides it, destroys our key and keeps its history; two concurrent deletions both succeed @wallets-15', async () => {
    const own = await createAccountFixture(api)
    const sent = await own.send()
    const transaction = () => own.asOwner('GET', `/transactions/${sent.json.data.id}`)
    await until('confirmed', async () => (await transaction()).json.data.status === 'CONFIRMED')
    await own.asOwner('DELETE', `/policy-groups/${own.group}/cascade`)
    const remove = () => own.asOwner('DELETE', `/wallets/${own.wallet}`)
    const [first, second] = await Promise.all([remove(), remove()])
    expect([first.status, second.status], first.text).toEqual([200, 200])
    expect(await list(own.token)).toEqual([])
    const keys = await inTreasury(own, (object) => ({
      sealed: object.context.store.all<{ key: string }>(
        "SELECT sealed_key AS key FROM wallet WHERE sealed_key <> '' UNION ALL SELECT sealed_key FROM session WHERE sealed_key <> ''",
      ),
      open: openKeys(object.context).size,
    }))
    expect(keys).toEqual({ sealed: [], open: 0 })
    expect((await transaction()).json.data).toMatchObject({ status: 'CONFIRMED', fromWalletId: own.wallet })
    for (const path of [
      `/api/wallets/${own.wallet}/usdc-balance`,
      `/api/wallets/${own.wallet}/ledger`,
      `/api/wallets/smart-wallets-v2/${own.wallet}/session-key`,
    ])
      expect((await api.call('GET', path, { token: own.token })).status, path).toBe(404)
    const pay = await own.send()
    expect([pay.status, pay.json.code]).toEqual([404, 'not_found'])
    const group = await own.asOwner('POST', '/policy-groups', { name: 'G', scopes: [], walletId: own.wallet })
    expect(group.json.code).toBe('not_found')
  })
})

describe('deploying a wallet', () => {
  test('deploys that repeat an idempotency key return the same wallet, even in parallel; different content is refused @wallets-16', async () => {
    const { token } = await createUser(api)
    const answers = await Promise.all(Array.from({ length: 5 }, () => deploy(token, 'one-deploy', 'Ops')))
    const later = await deploy(token, 'one-deploy', 'Ops')
    expect(new Set([...answers, later].map((answer) => answer.json.data?.walletAddress)).size).toBe(1)
    expect(await list(token)).toHaveLength(1)
    const other = await deploy(token, 'one-deploy', 'Another name')
    expect([other.status, other.json.code]).toEqual([422, 'idempotency_key_reused'])
  })

  test('a user has at most six active wallets and creates ten a month; deleting one frees only its place among the six @wallets-17', async () => {
    const { token, id } = await createUser(api)
    const active = async () => {
      await until('all active', async () =>
        (await list(token)).every((wallet: { status: string }) => wallet.status === 'active'),
      )
    }
    for (let i = 0; i < 6; i++) expect((await deploy(token)).status).toBe(201)
    const seventh = await deploy(token)
    expect(seventh.status).toBe(422)
    expect(seventh.json.error).toContain('maximum of 6 active wallets')
    await active()
    const wallets = await list(token)
    for (const wallet of wallets.slice(0, 5))
      expect((await api.call('DELETE', `/api/wallets/${wallet.id}`, { token })).status).toBe(200)
    for (let i = 0; i < 4; i++) expect((await deploy(token)).status).toBe(201)
    const eleventh = await deploy(token)
    expect(eleventh.status).toBe(422)
    expect(eleventh.json.error).toContain('monthly wallet creation limit of 10')
    await active()
    await inTreasury(id, (object) => {
      const now = new Date()
      object.context.now = () => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1, 0, 0, 1)
    })
    expect((await deploy(token)).status, 'the first of the next month').toBe(201)
  })
})

describe('a stuck deployment', () => {
  test('a stuck wallet shows the reason, can be deleted after a minute unless it holds money, and frees its place after a day @wallets-24', async () => {
    const { token, id: user } = await createUser(api)
    const relayer = env.RELAYER.getByName('8453:0')
    await relayer.freeze(user)
    const [left, paid, kept] = await Promise.all(['left', 'paid', 'kept'].map((name) => deploy(token, name, name)))
    const idOf = (answer: typeof left) => answer!.json.data.id as string
    const shown = async (answer: typeof left) =>
      (await list(token)).find((wallet: { id: string }) => wallet.id === idOf(answer))
    const remove = (answer: typeof left) => api.call('DELETE', `/api/wallets/${idOf(answer)}`, { token })
    // The clock keeps running: with a frozen clock, an alarm that is due later would never run.
    const laterBy = (ms: number) => setClock(user, () => Date.now() + ms)
    const follow = (answer: typeof left) =>
      inTreasury(user, ({ context }) => followDeploy(context, context.store.wallet(idOf(answer))!))

    await until(
      'the reason',
      async () => (await shown(left)).deployProblem === 'Transactions of this account are stopped',
    )
    const early = await remove(left)
    expect([early.status, early.json.error]).toEqual([
      409,
      'This wallet is still being created. Please try again in a moment.',
    ])

    await laterBy(minuteMs)
    await chain.mint(paid!.json.data.walletAddress, usdc('2.5'))
    const withMoney = await remove(paid)
    expect(withMoney.status, withMoney.text).toBe(409)
    expect(withMoney.json.error).toContain('2.50 USDC is at this wallet’s address')
    expect((await remove(left)).status).toBe(200)
    expect(await shown(left)).toBeUndefined()

    await laterBy(dayMs)
    await follow(kept)
    await follow(paid)
    expect((await shown(kept)).status, 'empty').toBe('failed')
    expect((await shown(paid)).status, 'it holds money').toBe('deploying')
    for (let i = 0; i < 5; i++) expect((await deploy(token)).status, 'a failed wallet takes no place').toBe(201)
    expect((await deploy(token)).json.error).toContain('maximum of 6 active wallets')

    // Money arrives later, and the transaction is mined after all.
    await chain.mint(kept!.json.data.walletAddress, usdc('1'))
    expect((await remove(kept)).status).toBe(409)
    await follow(kept)
    expect((await shown(kept)).status).toBe('deploying')
    await relayer.unfreeze(user)
    await laterBy(0)
    await inTreasury(user, ({ context }) => context.schedule('settle', context.now()))
    for (const wallet of [paid, kept])
      await until('deployed', async () => {
        await follow(wallet)
        return (await shown(wallet)).status === 'active'
      })
    expect(await shown(kept)).toMatchObject({ deployProblem: null, usdcBalance: { balance: '1' } })
  })
})

describe('exposure @wallets-18', () => {
  test('exposure is the smaller of balance and session limit; agents reach what their budgets leave of it', async () => {
    const payer = await createPayer({ funds: '1500', limit: '50' })
    const now = async () => (await payer.wallets().list())[0]!
    await payer.lookStaysFresh()
    expect((await now()).exposure).toEqual({ canLeave: '1000', canSend: '1000', agents: '50', canRenew: true })
    await accepted(payer, { to: { type: 'email', email: 'x@example.com' }, amount: usdc('20') })
    await until('funded', async () => (await now()).escrowed === '20')
    expect(await now()).toMatchObject({ exposure: { canLeave: '980', agents: '30', canRenew: true }, escrowed: '20' })
  })

  test('agents reach nothing of a paused wallet, but what can leave without its owner stays the same @wallets-19', async () => {
    const payer = await createPayer({ funds: '100', limit: '50' })
    await inTreasury(payer, (object) => {
      object.context.store.run('UPDATE wallet SET paused = 1')
      object.context.now = () => Date.now() + 3_000
    })
    expect((await payer.wallets().list())[0]).toMatchObject({
      paused: true,
      exposure: { canLeave: '100', agents: '0' },
    })
  })

  test('exposure is unknown if the balance is unknown', async () => {
    const payer = await createPayer({ funds: '10' })
    await chain.fault({ mode: 'down' })
    try {
      await setClock(payer, () => Date.now() + 5_000)
      expect((await payer.wallets().list())[0]).toMatchObject({
        usdcBalance: null,
        exposure: null,
        spendable: null,
      })
    } finally {
      await chain.fault({ mode: 'none' })
    }
  })
})

test('a deposit is arriving until it is deep enough, and can then be spent up to the session limit @wallets-21', async () => {
  const payer = await createPayer({ funds: '0', limit: null, on: manualChain })
  let ahead = 0
  const depth = (blocks: string) =>
    inTreasury(payer, ({ context }) => {
      context.env = { ...context.env, CONFIRM_DEPTH: blocks }
      context.now = () => Date.now() + ahead
    })
  const now = async () => {
    ahead += 3_000 // makes the snapshot of the wallet too old
    return (await payer.wallets().list())[0]!
  }
  await depth('3')
  await manualChain.mint(payer.wallet.address as Address, usdc('1500'))
  expect(await now()).toMatchObject({
    usdcBalance: { balance: '1500' },
    spendable: { now: '0', limitedBy: 'balance', arriving: '1500' },
  })
  const refused = await payer.treasury().send(payer.payment({ principal: owner }))
  expect(refused).toMatchObject({
    ok: false,
    message: 'Insufficient balance: the wallet has 0.00 USDC available, and 1500.00 USDC is arriving.',
  })
  await manualChain.mine(2)
  ahead += 10_000
  expect((await now()).spendable).toEqual({ now: '1000', limitedBy: 'session', arriving: '0' })
})

const key = party('importable').key
const whole = { address: party('importable').address, chain: 'base', privateKey: key, masterPassword: 'secret words' }
test.each([
  ['privateKey', ''],
  ['privateKey', '0x12'],
  ['privateKey', `${key}00`],
  ['privateKey', `0x${'g'.repeat(64)}`],
  ['privateKey', 42],
  ['privateKey', null],
  ['privateKey', party('another').key],
  ['masterPassword', ''],
  ['masterPassword', null],
  ['masterPassword', 'x'.repeat(10_000)],
  ['chain', 'ethereum'],
  ['chain', 8453],
  ['address', 'vitalik.eth'],
  ['address', `${whole.address.slice(0, 20)}-${whole.address.slice(20)}`],
  ['address', '0x123'],
  ['name', 'x'.repeat(61)],
  ['policyGroupId', 42],
])(
  'POST /wallets/with-private-key refuses %s %j with its field and does not repeat the key @wallets-20',
  async (field, value) => {
    const { token } = await createUser(api)
    const answer = await api.call('POST', '/api/wallets/with-private-key', {
      token,
      body: { ...whole, [field]: value },
    })
    expect(answer.status, answer.text).toBe(400)
    expect(answer.json.field).toBe(field)
    expect(answer.text).not.toContain(key.slice(2))
  },
)

test('an imported key is shown only for the master password, in a reply that must not be stored', async () => {
  const { token } = await createUser(api)
  const added = await api.call('POST', '/api/wallets/with-private-key', {
    token,
    body: { ...whole, privateKey: `  ${key.slice(2).toUpperCase()} `, name: ' Cold ' },
  })
  expect(added.status, added.text).toBe(201)
  expect(added.json.data).toMatchObject({ name: 'Cold', walletType: 'imported', address: whole.address })
  const path = `/api/wallets/${added.json.data.id}/private-key`
  const seen = await api.call('POST', path, { token, body: { masterPassword: 'secret words' } })
  expect(seen.json.data).toEqual({ privateKey: key })
  expect(seen.headers.get('cache-control')).toContain('no-store')
  const wrong = await api.call('POST', path, { token, body: { masterPassword: 'Secret words' } })
  expect([wrong.status, wrong.json.field, wrong.json.error]).toEqual([
    422,
    'masterPassword',
    'Invalid master password or failed to retrieve private key.',
  ])
  for (const masterPassword of ['', 42, null, 'x'.repeat(10_000)])
    expect((await api.call('POST', path, { token, body: { masterPassword } })).json.field).toBe('masterPassword')
})
