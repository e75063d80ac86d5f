import type { GasLevel } from '#domain/gasAllowance.ts'
import type { MicroUsdc } from '#domain/money.ts'
import { fromColumn } from '../core/storage/columns.ts'
import type { Store } from '../core/storage/store.ts'

/** With what was confirmed on the primary network while the account was new: payments, and their sum. */
export type Level = GasLevel & { payments: number; sent: MicroUsdc }

/** The account's row of gas_level, kept in memory; null before its first payment was confirmed. */
export const storedLevel = (store: Store): Level | null =>
  store.cached('gas_level', 'stored', () => {
    const row = store.first<Record<keyof Level, number>>(
      'SELECT allowance, day, confirmed, failed, payments, sent FROM gas_level',
    )
    return row && { ...row, confirmed: fromColumn(row.confirmed), sent: fromColumn(row.sent), failed: row.failed === 1 }
  })
