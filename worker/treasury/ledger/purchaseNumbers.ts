import { type MicroUsdc, microUsdc } from '#domain/money.ts'
import { type ClassUse, capOf, countOf, type PurchaseClass, purchaseClasses } from '#domain/x402/purchaseClasses.ts'
import { purchaseIn } from '../../chain/purchase.ts'
import type { PurchaseClassRow } from '../core/storage/purchaseTables.ts'
import type { PaymentRow, SessionRow } from '../core/storage/rows.ts'
import type { Store } from '../core/storage/store.ts'

/**
 * The numbers of a session's purchases. A number is taken when a purchase is signed, and free again once that is proven dead:
 * a nonce is bound to one content as long as that can move money (invariant I6). Call inside a transaction.
 */

const where = 'wallet_id = ? AND epoch = ? AND class = ?'

/** Kept in memory until the next write, because deciding and signing a purchase read it several times. */
const rowsOf = (store: Store, { wallet_id, epoch }: SessionRow) =>
  store.cached('any', `purchase classes ${wallet_id} ${epoch}`, () =>
    store.all<PurchaseClassRow>('SELECT * FROM purchase_class WHERE wallet_id = ? AND epoch = ?', wallet_id, epoch),
  )

/** By class. */
export function classUses(store: Store, session: SessionRow): Record<PurchaseClass, ClassUse> {
  const rows = rowsOf(store, session)
  const use = (of: PurchaseClass): ClassUse => ({
    count: countOf(of, session.purchase_allowance),
    taken: rows.find((row) => row.class === of)?.taken ?? 0,
  })
  return { 0: use(0), 1: use(1), 2: use(2) }
}

/** The lowest free number. The caller has seen that the class has one. */
export function takeNumber(store: Store, session: SessionRow, purchaseClass: PurchaseClass): number {
  const { wallet_id, epoch } = session
  const key = [wallet_id, epoch, purchaseClass] as const
  const row = rowsOf(store, session).find((each) => each.class === purchaseClass)
  if (row && row.taken < row.next_number) {
    const { number } = store.first<{ number: number }>(
      `SELECT min(number) AS number FROM free_number WHERE ${where}`,
      ...key,
    )!
    store.run(`DELETE FROM free_number WHERE ${where} AND number = ?`, ...key, number)
    store.run(`UPDATE purchase_class SET taken = taken + 1 WHERE ${where}`, ...key)
    return number
  }
  store.insert(
    'purchase_class',
    { wallet_id, epoch, class: purchaseClass, next_number: 1, taken: 1 },
    'ON CONFLICT DO UPDATE SET next_number = next_number + 1, taken = taken + 1',
  )
  return row?.next_number ?? 0
}

/** The purchase with this number is proven dead: no block can include it any more. */
export function freeNumber(
  store: Store,
  walletId: string,
  { epoch, class: purchaseClass, number }: { epoch: number; class: number; number: number },
): void {
  const key = [walletId, epoch, purchaseClass] as const
  store.insert('free_number', { wallet_id: walletId, epoch, class: purchaseClass, number })
  store.run(`UPDATE purchase_class SET taken = taken - 1 WHERE ${where}`, ...key)
}

/**
 * Deletes the free numbers of sessions that were replaced at a final block. Numbers are given out for the current session only,
 * and no reorganization makes these the current one again.
 */
export const forgetNumbers = (store: Store, walletId: string, finalBlock: number): void =>
  void store.run(
    `DELETE FROM free_number WHERE wallet_id = ?1 AND epoch <
       (SELECT epoch FROM session WHERE wallet_id = ?1 AND current = 1 AND (adopted_block IS NULL OR adopted_block <= ?2))`,
    walletId,
    finalBlock,
  )

/** A purchase was settled, or (-1) a reorganization has removed it. */
export function countSettled(store: Store, { wallet_id, epoch, authorization }: PaymentRow, by: 1 | -1): void {
  const numbers = epoch === null && authorization ? purchaseIn(authorization) : null
  if (!numbers) return
  const key = [wallet_id, numbers.epoch, numbers.class] as const
  store.run(`UPDATE purchase_class SET settled = settled + ? WHERE ${where}`, by, ...key)
}

/** The most that the session's numbers can still pay: a number that is taken counts until its purchase is settled. */
export function purchasesLeft(store: Store, session: SessionRow): MicroUsdc {
  const rows = rowsOf(store, session)
  const left = purchaseClasses.map((of) => {
    const settled = rows.find((row) => row.class === of)?.settled ?? 0
    return capOf(of) * BigInt(Math.max(0, countOf(of, session.purchase_allowance) - settled))
  })
  return microUsdc(left.reduce((sum, each) => sum + each, 0n))
}

/**
 * Takes all numbers of the sessions that exist. After a restore: a purchase that was lost may have any of them.
 */
export function takeAllNumbers(store: Store): void {
  const onConflict =
    'ON CONFLICT DO UPDATE SET next_number = max(next_number, excluded.taken), taken = max(next_number, excluded.taken)'
  const sessions = store.all<SessionRow>('SELECT * FROM session WHERE purchase_allowance > 0')
  for (const { wallet_id, epoch, purchase_allowance } of sessions)
    for (const purchaseClass of purchaseClasses) {
      const count = countOf(purchaseClass, purchase_allowance)
      const row = { wallet_id, epoch, class: purchaseClass, next_number: count, taken: count }
      store.insert('purchase_class', row, onConflict)
      store.run(`DELETE FROM free_number WHERE ${where}`, wallet_id, epoch, purchaseClass)
    }
}
