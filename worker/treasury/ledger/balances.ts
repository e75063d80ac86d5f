import { type MicroUsdc, microUsdc, zeroUsdc } from '#domain/money.ts'
import type { WalletFunds } from '#domain/policy.ts'
import { fromColumn } from '../core/storage/columns.ts'
import type { SessionRow, WalletRow } from '../core/storage/rows.ts'
import type { Store } from '../core/storage/store.ts'

/** The wallet's balance according to our books, including held money, as of the last block that was read. */
export const bookedOf = (wallet: WalletRow): bigint =>
  fromColumn(wallet.deposits) + fromColumn(wallet.returns) - fromColumn(wallet.out) - fromColumn(wallet.withdrawn)

/** The wallet's balance minus what is reserved. Never negative, even if the owner has withdrawn reserved money. */
export function availableOf(wallet: WalletRow): MicroUsdc {
  const left = bookedOf(wallet) - fromColumn(wallet.held)
  return (left > 0n ? left : 0n) as MicroUsdc
}

/** What open runs still hold of the wallet. It is of no session, so that it moves to the next one without being moved. */
const heldByRuns = (store: Store, walletId: string): bigint =>
  store.cached('run', `held ${walletId}`, () =>
    BigInt(
      store.first<{ sum: number }>(
        'SELECT coalesce(sum(held), 0) AS sum FROM run WHERE wallet_id = ? AND held > 0',
        walletId,
      )!.sum,
    ),
  )

/** What payments and open runs hold of the session. */
export const heldOf = (store: Store, session: SessionRow): MicroUsdc =>
  microUsdc(fromColumn(session.held) + heldByRuns(store, session.wallet_id))

export function walletFunds(
  store: Store,
  wallet: WalletRow,
  session: SessionRow | null,
  arriving?: MicroUsdc,
): WalletFunds {
  return {
    available: availableOf(wallet),
    ...(arriving !== undefined && { arriving }),
    status: wallet.status,
    halted: wallet.halt_kind !== null,
    paused: wallet.paused === 1,
    session: session && {
      limit: fromColumn(session.spend_limit),
      spent: fromColumn(session.used),
      held: heldOf(store, session),
      validUntil: session.valid_until * 1000,
    },
  }
}

/** Money of this wallet in payouts that are funded and neither withdrawn nor reclaimed. */
export const escrowedOf = (store: Store, walletId: string): MicroUsdc => sumOf(store, 'escrowed', walletId)

/** Total of confirmed sends and withdrawn payouts. */
export const spentOf = (store: Store, walletId: string): MicroUsdc => sumOf(store, 'spent', walletId)

function sumOf(store: Store, column: 'escrowed' | 'spent', walletId: string): MicroUsdc {
  const row = store.first<{ sum: number }>(`SELECT ${column} AS sum FROM wallet_sum WHERE wallet_id = ?`, walletId)
  return row ? fromColumn(row.sum) : zeroUsdc
}
