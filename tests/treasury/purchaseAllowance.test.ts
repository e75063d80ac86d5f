/** The two parts of a session's limit: what sends may use, and the purchase allowance. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { microUsdc } from '#domain/money.ts'
import { allowanceInMicro, maxLimit, minLimit, sendLimitOf } from '#domain/sessionKey.ts'
import type { WalletState } from '../../worker/chain/types.ts'
import { unwrap } from '../../worker/result.ts'
import { recoverableValue } from '../../worker/treasury/outbox/delivery/recoverableRows.ts'
import { allowanceFor } from '../../worker/treasury/wallets/actions/sessionChange.ts'
import { adopt } from '../../worker/treasury/wallets/session.ts'
import { createBook } from '../support/book.ts'
import { addressOf } from '../support/build.ts'

/** As the contract's state() is right after a session of `limit` micro-USDC with `purchaseAllowance` was set. */
const stateAfter = (limit: bigint, purchaseAllowance: number): WalletState => ({
  ...{ blockNumber: 5, timestamp: 1_764_000_000, sessionKey: addressOf(12), validUntil: 4_000_000_000, epoch: 2 },
  ...{ rotationDisabled: false, sessionRevoked: false, top: 0n, seen: 0n, balance: maxLimit, ownerNonce: 0n },
  remaining: limit - allowanceInMicro(purchaseAllowance),
  purchaseAllowance,
})

/** A wallet of 10,000 USDC whose session was just replaced. */
function createTreasury(limit: bigint, purchaseAllowance: number) {
  const book = createBook({ funds: '10000' })
  const { context, store } = book
  const state = stateAfter(limit, purchaseAllowance)
  store.run("UPDATE wallet SET session_key = ?, sealed_key = 'sealed'", state.sessionKey)
  const wallet = store.wallet('wal')!
  store.transaction(() => adopt(context, wallet, state))
  return { ...book, wallet, state }
}

/** A limit in micro-USDC with an allowance that fits into it, up to the whole limit. */
const sessions = fc
  .bigInt({ min: minLimit, max: maxLimit })
  .chain((limit) => fc.tuple(fc.constant(limit), fc.integer({ min: 0, max: Number(limit / 1_000_000n) })))

test('whatever is sent, sends take the limit less the purchase allowance to the last micro-USDC, and no more @allowance-2', () => {
  fc.assert(
    fc.property(
      sessions,
      fc.array(fc.bigInt({ min: 1n, max: maxLimit }), { maxLength: 12 }),
      ([limit, allowance], amounts) => {
        const { pay, store, close } = createTreasury(limit, allowance)
        let left = sendLimitOf(limit, allowance)
        for (const each of [...amounts, 'all that is left', 1n] as const) {
          const amount = typeof each === 'bigint' ? microUsdc(each) : left
          if (amount === 0n) continue
          const result = pay({ amount })
          if (amount <= left) {
            expect(result).toMatchObject({ ok: true })
            left = microUsdc(left - amount)
          } else expect(result).toMatchObject({ ok: false, code: 'session_limit_exceeded' })
        }
        const { held, spend_limit } = store.session('wal')!
        expect(BigInt(held)).toBe(sendLimitOf(limit, allowance) - left)
        expect(BigInt(spend_limit) + allowanceInMicro(allowance), 'both parts').toBe(limit)
        close()
      },
    ),
    { numRuns: 30 },
  )
})

test('the next session keeps the present allowance, also of a revoked one, or refuses and names the field @allowance-3', () => {
  fc.assert(
    fc.property(sessions, sessions, fc.boolean(), ([limit, allowance], [nextLimit, requested], isRevoked) => {
      const { context, wallet, state, close } = createTreasury(limit, allowance)
      const now = isRevoked ? { ...state, sessionRevoked: true, remaining: 0n, purchaseAllowance: 0 } : state
      const next = { key: null, walletId: wallet.id, hours: 1 }
      const kept = allowanceFor(context, wallet, now, { ...next, limit: nextLimit })
      if (allowanceInMicro(allowance) <= nextLimit) expect(unwrap(kept)).toBe(allowance)
      else expect(kept).toMatchObject({ ok: false, code: 'invalid_input', field: 'spendingLimit' })
      expect(
        unwrap(allowanceFor(context, wallet, now, { ...next, limit: nextLimit, purchaseAllowance: requested })),
      ).toBe(requested)
      const tooMuch = { ...next, limit: nextLimit, purchaseAllowance: Number(nextLimit / 1_000_000n) + 1 }
      expect(allowanceFor(context, wallet, now, tooMuch)).toMatchObject({
        ...{ ok: false, code: 'invalid_input', field: 'purchaseAllowance' },
      })
      close()
    }),
    { numRuns: 30 },
  )
})

test('a restore knows the allowance that the address of a wallet commits to @allowance-4', () => {
  const { context, store } = createBook()
  store.run('UPDATE wallet SET purchase_allowance = 16')
  expect(JSON.parse(recoverableValue(context, 'wallet:wal')!)).toMatchObject({ id: 'wal', purchase_allowance: 16 })
})
