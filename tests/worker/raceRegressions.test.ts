/** Regressions from combining things that are each tested alone elsewhere. */

import { afterEach, beforeAll, expect, test } from 'vitest'
import { RpcChain } from '../../worker/chain/rpcChain.ts'
import type { Address, ChainId, Hex, WalletState } from '../../worker/chain/types.ts'
import type { Env } from '../../worker/env.ts'
import { unwrap } from '../../worker/result.ts'
import { undoBookings } from '../../worker/treasury/settlement/undo.ts'
import type { Treasury } from '../../worker/treasury/treasury.ts'
import { readSession } from '../../worker/treasury/wallets/session.ts'
import { checkPlainKey, isPlainKey } from '../../worker/treasury/wallets/sessionKeys.ts'
import { groupInput, owner, toEmail } from '../support/build.ts'
import { oneSet } from '../support/contractSets.ts'
import { historyRows, syncHistory } from '../support/histories.ts'
import { createImporter } from '../support/importer.ts'
import { chain, createPayer, fresh, manualChain, type Payer, prepare, until } from '../support/payer.ts'
import { lookAtFinality, stopFinality } from '../support/reorganization.ts'
import { stopTimersOf } from '../support/stoppedTimers.ts'
import { inTreasury, rowsOf, setClock } from '../support/treasuries.ts'
import { env, party } from '../support/workerChain.ts'

beforeAll(prepare)
afterEach(async () => {
  for (const each of [chain, manualChain]) await each.fault({ mode: 'none' })
})

const inside = <T>(payer: Payer, work: (object: Treasury) => T | Promise<T>) =>
  inTreasury(payer, (object) => work(object))
const grant = (payer: Payer) => ({
  key: `rotate-${Math.random()}`,
  walletId: payer.wallet.id,
  limit: 100_000_000n,
  hours: 24,
})

/**
 * Starts to read the session and delays the node's response, which `change` may change. Returns a function that delivers it
 * and resolves when the reading has ended.
 */
async function startReading(payer: Payer, change = (state: WalletState): WalletState => state) {
  const gate = { holds: false, asked: false, open: false }
  const reading = inside(payer, ({ context }) => {
    const node = context.chains[84532]
    const real = node.walletState.bind(node)
    node.walletState = async (...args) => {
      const held = gate.holds
      const state = await real(...args)
      gate.asked ||= held
      while (held && !gate.open) await scheduler.wait(10)
      return held && state ? change(state) : state
    }
    gate.holds = true
    const started = readSession(context, context.store.wallet(payer.wallet.id)!)
    gate.holds = false
    return started
  })
  await until('the node has responded', async () => gate.asked)
  return () => {
    gate.open = true
    return reading
  }
}

test('a wallet deleted while its rotation reads the chain gets neither a session nor a key again', async () => {
  const payer = await createPayer()
  expect(await payer.policies().deleteGroup(payer.group.id)).toMatchObject({ ok: true })
  const gate = { asked: false, open: false }
  await inside(payer, ({ context }) => {
    const node = context.chains[8453]
    const real = node.walletState.bind(node)
    node.walletState = async (...args) => {
      const state = await real(...args)
      gate.asked = true
      while (!gate.open) await scheduler.wait(10)
      return state
    }
  })
  const rotated = payer.wallets().rotateSessionKey(grant(payer))
  await until('the chain is asked', async () => gate.asked)
  expect(await payer.wallets().delete(payer.wallet.id)).toEqual({ ok: true, value: null })
  gate.open = true
  expect(await rotated).toMatchObject({ ok: false, code: 'not_found' })
  const left = await inside(payer, ({ context: { store } }) => [
    store.all("SELECT 1 FROM session WHERE current = 1 OR sealed_key <> ''"),
    store.all('SELECT 1 FROM wallet_action'),
  ])
  expect(left).toEqual([[], []])
})

test('A5: a rotation that waits for payments in flight does not replace a session that the owner set meanwhile @session-keys-24', async () => {
  const payer = await createPayer({ on: manualChain })
  await manualChain.fault({ mode: 'refuse', methods: ['eth_sendRawTransaction'] })
  const paid = await payer.pay()
  expect(paid).toMatchObject({ ok: true })
  const started = unwrap(await payer.wallets().rotateSessionKey(grant(payer)))
  const own = party(`${payer.userId} own session`).address
  await payer.callWallet('setSession', [own, 5_000_000n, 0, (await manualChain.timestamp()) + 3600])
  await manualChain.fault({ mode: 'none' })
  const ended = await until('the rotation ended', async () => {
    await manualChain.mine()
    const info = await payer.wallets().sessionKey(payer.wallet.id)
    return info.ok && info.value.actions.find((action) => action.id === started.actionId && action.endedAt)
  })
  const node = new RpcChain(84532 as ChainId, oneSet(manualChain.contracts), [env.NODE_URL_84532])
  const state = (await node.walletState(payer.wallet.address as Address))!
  expect(state.sessionKey.toLowerCase()).toBe(own.toLowerCase())
  expect(ended).toMatchObject({ status: 'failed', error: expect.stringContaining('came first') })
})

test('an older reading that ends later does not bring back a session that has ended @session-keys-38', async () => {
  const payer = await createPayer({ on: manualChain })
  await payer.ledger()
  const read = () => inside(payer, ({ context }) => readSession(context, context.store.wallet(payer.wallet.id)!))
  const release = await startReading(payer)
  const own = party(`${payer.userId} own session`).address
  await payer.callWallet('setSession', [own, 5_000_000n, 0, (await manualChain.timestamp()) + 3600])
  await manualChain.mine(8)
  const events = () =>
    inside(payer, ({ context: { store } }) =>
      store.all<{ event: string }>("SELECT event FROM audit WHERE event LIKE 'session.%' ORDER BY seq"),
    )
  await until('the newer reading has ended the session', async () => {
    await read()
    return (await events()).at(-1)?.event === 'session.ended'
  })
  const before = await events()
  await release()
  expect(await events()).toEqual(before)
  expect(await payer.pay()).toMatchObject({ ok: false, code: 'session_key_expired' })
})

test('a session that was read before bookings were undone is not taken from the branch that is gone @session-keys-39', async () => {
  const payer = await createPayer({ on: manualChain })
  await payer.ledger()
  const [before] = await rowsOf(payer, 'SELECT epoch, current FROM session')
  const release = await startReading(payer, (state) => ({ ...state, epoch: state.epoch + 1 }))
  await inside(payer, ({ context }) => undoBookings(context, payer.wallet.id, { why: 'a test' }))
  await release()
  await until('the session is the one on chain', async () => {
    await payer.ledger()
    return JSON.stringify(await rowsOf(payer, 'SELECT epoch, current FROM session')) === JSON.stringify([before])
  })
})

test('an older answer that an account has no code does not lift its halt @imported-10', async () => {
  const user = await createImporter()
  const gate = { holds: false, asked: false, open: false, code: '0x' as Hex }
  await inTreasury(user, ({ context }) => {
    context.chains[8453].code = async () => {
      const [held, { code }] = [gate.holds, gate]
      gate.asked ||= held
      while (held && !gate.open) await scheduler.wait(10)
      return code
    }
  })
  const check = ({ context }: Treasury) => checkPlainKey(context, context.store.wallet(user.wallet.id)!)
  const older = inTreasury(user, (object) => {
    gate.holds = true
    const checking = check(object)
    gate.holds = false
    return checking
  })
  await until('the account is asked', async () => gate.asked)
  gate.code = '0xef0100'
  await setClock(user, () => Date.now() + 1_000)
  await inTreasury(user, check)
  gate.open = true
  await older
  expect(await rowsOf(user, 'SELECT halt_kind FROM wallet')).toEqual([{ halt_kind: 'code' }])
  expect(await inTreasury(user, ({ context }) => isPlainKey(context, context.store.wallet(user.wallet.id)!))).toBe(
    false,
  )
})

test('a deposit that is booked while final books are compared with the chain does not make them differ @reorg-18', async () => {
  const payer = await createPayer({ on: manualChain, funds: '39' })
  const deposits = async (amount: bigint, total: string) => {
    await manualChain.mint(payer.wallet.address as Address, amount)
    await manualChain.mine(8)
    await until('the deposit is booked', async () => (await payer.ledger()).deposits === total)
  }
  const gate = { isUsed: false, asked: false, open: false }
  await inside(payer, ({ context }) => {
    const node = context.chains[84532]
    const real = node.usdcBalance.bind(node)
    node.usdcBalance = async (...args) => {
      const balance = await real(...args)
      gate.asked = gate.isUsed
      while (gate.isUsed && !gate.open) await scheduler.wait(10)
      return balance
    }
  })
  const { restore } = await stopFinality(payer)
  await deposits(5_000_000n, '44')
  gate.isUsed = true
  await restore()
  const compared = lookAtFinality(payer)
  await until('the chain is asked', async () => gate.asked)
  await deposits(2_000_000n, '46')
  gate.open = true
  await compared
  const undone = await inside(payer, ({ context: { store } }) =>
    store.all("SELECT data FROM audit WHERE event = 'wallet.reorganized'"),
  )
  expect(undone).toEqual([])
  expect(await payer.ledger()).toMatchObject({ deposits: '46', available: '46' })
})

test('a mail provider that does not respond delays neither payouts nor lists', async () => {
  const payer = await createPayer({ limit: null })
  let mails = 0
  stopTimersOf(5_000) // after which the provider would be given up
  await inside(payer, ({ context }) => {
    const send = async () => {
      mails += 1
      return new Promise<never>(() => {})
    }
    context.env = { ...context.env, ENVIRONMENT: 'production', MAIL_FROM: 'a@b.c', EMAIL: { send } } as unknown as Env
  })
  const payout = () => payer.treasury().createPayout(payer.payment({ principal: owner, to: toEmail() }))
  expect(await payout()).toMatchObject({ ok: true })
  await until('a mail is being sent', async () => mails > 0)
  expect(await payout()).toMatchObject({ ok: true })
  await syncHistory(payer)
})

test('a malformed memo does not block other rows of the lists', async () => {
  const payer = await createPayer({ limit: null })
  for (const memo of ['\ud800', '\udfff lone', '{"$.row.id":"x"}', '‮evil', '\\u0000', "'); DROP TABLE payment; --"])
    expect(await payer.pay({ memo })).toMatchObject({ ok: true })
  await syncHistory(payer)
  const results = await historyRows<{ body: string }>(
    payer,
    "SELECT body FROM transaction_view WHERE category <> 'deposit'",
  )
  expect(results.map(({ body }) => JSON.parse(body).memo).length).toBe(6)
})

test('a group can hold ten thousand whitelisted contacts with the longest texts', async () => {
  const payer = await createPayer()
  const contacts = Array.from({ length: 10_000 }, (_, i) => ({
    id: `con_${String(i).padStart(32, '0')}`,
    name: `${i} ${'n'.repeat(90)}`,
    address: fresh('c'),
    email: `${i}${'e'.repeat(60)}@${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(55)}.com`,
    phone: '+14155550123',
  }))
  const group = await payer.policies().createGroup(groupInput({ walletId: payer.wallet.id, contacts }))
  expect(group.ok && group.value.whitelistedCount).toBe(10_000)
})
