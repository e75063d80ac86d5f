/** Strangers, unusual owners and nodes that refuse: nothing gets stuck, and nothing is booked twice. */
import { encodeFunctionData, parseAbi } from 'viem/utils'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { giveUpMs } from '#domain/intent.ts'
import { type Address, type LogFilter, RpcError, RpcUnavailable } from '../../worker/chain/types.ts'
import { unwrap } from '../../worker/result.ts'
import { payoutTerms } from '../../worker/treasury/core/contracts.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { groupInput, toEmail, usdc } from '../support/build.ts'
import {
  becomes,
  changeNode,
  createPayout,
  isPaid,
  look,
  pass,
  payAndConfirm,
  payoutIs,
  payoutOf,
} from '../support/manualClock.ts'
import {
  accepted,
  manualChain as chain,
  createPayer,
  fresh,
  type Payer,
  prepare,
  chain as running,
  until,
} from '../support/payer.ts'
import { paymentRow, payoutRow } from '../support/rows.ts'
import { inTreasury, setClock } from '../support/treasuries.ts'

beforeAll(prepare)
afterEach(() => chain.fault({ mode: 'none' }))

/** Changes the replies of the Treasury's node to eth_getLogs. */
type Logs = Treasury['context']['chains'][84532]['logs']
const changeLogs = (payer: Payer, logs: (real: Logs, filters: LogFilter[]) => ReturnType<Logs>) =>
  inTreasury(payer, (object) => {
    const node = object.context.chains[84532]
    const real = Object.getPrototypeOf(node).logs.bind(node) as Logs
    node.logs = (filters) => logs(real, filters)
  })
const restoreLogs = (payer: Payer) => changeLogs(payer, (real, filters) => real(filters))

test('a zero-value Transfer from a payout, which anyone can make, does not keep a lapsed claim open @settlement-5', async () => {
  const payer = await createPayer({ on: chain })
  const { id } = await createPayout(payer)
  const blocked = fresh('blocked')
  await chain.blacklist(blocked)
  // If the node cannot tell, the contract decides.
  const restore = await changeNode(payer, () => ({ isBlacklisted: () => Promise.reject(new RpcUnavailable('silent')) }))
  expect(await payer.treasury().claim({ payoutId: id, codeVersion: 1, to: blocked })).toMatchObject({ ok: true })
  await restore()
  const nothing = encodeFunctionData({
    abi: parseAbi(['function transferFrom(address from, address to, uint256 value)']),
    args: [(await payoutOf(payer, id)).address, fresh('x'), 0n],
  })
  await chain.act(fresh('stranger'), chain.contracts.usdc, nothing)
  await pass(320)
  await payoutIs(payer, id, 'CREATED')
})

test('money that others send to a payout that is not funded yet does not end it @settlement-6', async () => {
  const payer = await createPayer({ on: chain })
  await payer.ledger()
  await chain.fault({ mode: 'refuse', methods: ['eth_sendRawTransaction'] })
  const { id } = await accepted(payer, { to: toEmail(), amount: usdc('5') })
  const payout = await payoutOf(payer, id)
  await chain.mint(payout.address, usdc('5'))
  await payer.callWallet('reclaimPayout', [payoutTerms(payout)])
  await look(payer)
  expect(await payer.ledger()).toMatchObject({ returns: '5' })
  expect(await payer.groupNow()).toMatchObject({ held: '5', currentSpent: '0' })
  await chain.fault({ mode: 'none' })
  await payoutIs(payer, id, 'CREATED')
  expect(await payer.groupNow()).toMatchObject({ held: '5', currentSpent: '0' })
  await payer.booksBalance()
})

test('an owner may give the session the largest possible limit', async () => {
  const payer = await createPayer({ on: chain })
  const [before] = await payer.wallets().list()
  const validUntil = (await chain.timestamp()) + 3600
  await payer.callWallet('setSession', [before!.sessionKeyAddress as Address, 2n ** 48n - 1n, 0, validUntil])
  expect(await payer.wallets().sessionKey(payer.wallet.id)).toMatchObject({ ok: true, value: { nonce: 2 } })
  await payAndConfirm(payer)
})

test('a payout below the minimum amount is refused, even if its recipient is a contact', async () => {
  const payer = await createPayer({ on: chain })
  const to = { type: 'contact', contactId: 'contact_1', method: 'email' } as const
  const paid = await payer.pay({ to, amount: usdc('0.099999') })
  expect(paid).toMatchObject({ ok: false, code: 'invalid_input', field: 'amount' })
})

test('our own contracts are refused as recipients', async () => {
  const payer = await createPayer({ on: chain })
  for (const address of Object.values(chain.contracts)) {
    const paid = await payer.pay({ to: { type: 'address', address } })
    expect(paid, address).toMatchObject({ ok: false, code: 'invalid_input' })
  }
})

test('an unreachable chain does not delay wallets of another chain', async () => {
  const payer = await createPayer({ on: chain })
  await payer.ledger()
  await chain.fault({ mode: 'down' })
  await accepted(payer)
  const made = unwrap(
    await payer.wallets().deploy({ key: null, owner: payer.owner.address, chainId: 8453, name: 'Main' }),
  )
  await running.mine()
  await until('the other wallet is active', async () =>
    (await payer.wallets().list()).some(({ id, status }) => id === made.id && status === 'active'),
  )
})

test('a node that refuses requests counts as unreachable and causes no exception', async () => {
  const payer = await createPayer({ on: chain, funds: '3' })
  await payer.ledger()
  await chain.mine()
  await chain.fault({ mode: 'refuse', methods: ['eth_getLogs'] })
  expect(await payer.pay({ amount: usdc('4') })).toMatchObject({
    ok: false,
    code: 'insufficient_balance',
  })
})

test('a node that accepts only short block ranges is queried in shorter ones', async () => {
  const payer = await createPayer({ on: chain, funds: '3' })
  await chain.mine(9)
  await changeLogs(payer, async (real, filters) => {
    if (filters.some(({ fromBlock, toBlock }) => toBlock - fromBlock >= 2)) throw new RpcError(-32602, 'too many')
    return real(filters)
  })
  expect(await payer.ledger()).toMatchObject({ deposits: '3' })
  await payer.booksBalance()
})

test('no log query names more than 500 payouts', async () => {
  const payer = await createPayer({ on: chain })
  await createPayout(payer)
  await inTreasury(payer, ({ context: { store } }) => {
    for (let i = 1; i <= 1_100; i++) {
      const row = { id: `old${i}`, wallet_id: payer.wallet.id }
      store.insert('payment', paymentRow({ ...row, kind: 'payout', to_type: 'email', amount: 1, status: 'PENDING' }))
      store.insert('payout', payoutRow({ ...row, amount: 1, expires_at: 9e15, funded: 1, announced: 1 }))
    }
  })
  const namedTopics = new Set<unknown>()
  let most = 0
  await changeLogs(payer, (real, filters) => {
    for (const topic of filters.flatMap(({ topics }) => topics ?? [])) {
      if (!Array.isArray(topic)) continue
      most = Math.max(most, topic.length)
      for (const value of topic) namedTopics.add(value)
    }
    return real(filters)
  })
  await chain.mine()
  await payer.ledger()
  expect({ most, all: namedTopics.size }).toEqual({ most: 500, all: 1101 })
})

test('a Transfer that a node first showed without its nonce log is later booked as the payment @settlement-8', async () => {
  const payer = await createPayer({ on: chain })
  await payer.ledger()
  const to = fresh('shop')
  await changeLogs(payer, async (real, filters) =>
    (await real(filters)).map((logs, i) => (filters[i]!.topics === undefined ? [] : logs)),
  )
  const { id } = await accepted(payer, { to: { type: 'address', address: to }, amount: usdc('5') })
  await isPaid(to)
  expect(await payer.ledger()).toMatchObject({ withdrawn: '5', held: '5' })
  await restoreLogs(payer)
  await setClock(payer, () => Date.now() + giveUpMs + 1000)
  await pass(600)
  await becomes(payer, id, 'CONFIRMED')
  expect(await payer.ledger()).toMatchObject({ withdrawn: '0', held: '0', out: '5' })
  await payer.booksBalance()
})

test('mails that cannot be sent do not block others', async () => {
  const payer = await createPayer({ on: chain })
  await inTreasury(payer, ({ context: { store } }) => {
    for (let i = 0; i < 45; i++) store.run("INSERT INTO outbox (kind, ref, seq) VALUES ('mail', ?, 1)", `a${i}:link`)
  })
  const { id } = await createPayout(payer)
  await until('the mail has left', () =>
    inTreasury(
      payer,
      ({ context: { store } }) =>
        store.first("SELECT 1 FROM outbox WHERE kind = 'mail' AND ref = ?", `${id}:link`) === null,
    ),
  )
})

test('a repeated request to create a group returns the same group, even if a contact changed meanwhile', async () => {
  const payer = await createPayer({ on: chain })
  const ask = (email: string) =>
    payer.policies().createGroup(
      groupInput({
        key: 'again',
        walletId: payer.wallet.id,
        contacts: [{ id: 'contact_2', name: 'Bo', address: null, email, phone: null }],
      }),
    )
  const first = await ask('bo@example.com')
  expect(first).toMatchObject({ ok: true })
  expect(await ask('bo@example.org')).toEqual(first)
})
