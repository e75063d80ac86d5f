import { timer } from '../../../durable/alarms.ts'
import { sqlOf } from '../../../durable/table.ts'
import { approvalTables } from './approvalTables.ts'
import { bookingTables } from './bookingTables.ts'
import { connectionTables } from './connectionTables.ts'
import { eventTables } from './eventTables.ts'
import { limitTables } from './limitTables.ts'
import { member } from './memberTable.ts'
import { objectTables } from './objectTables.ts'
import { paidRecipient } from './paidRecipientTable.ts'
import { paymentTables } from './paymentTables.ts'
import { policyTables } from './policyTables.ts'
import { purchaseTables } from './purchaseTables.ts'
import { run, runRow } from './runTables.ts'
import { sendOn } from './sendOnTable.ts'
import { spentSumTables } from './spentSums.ts'
import { walletTables } from './walletTables.ts'

/**
 * The tables of a user's Treasury. Amounts are micro-USDC below 2^53; `…_at` is in ms, deadlines and
 * expiries in unix seconds, days are UTC day numbers.
 */
export const treasuryTables = [
  timer,
  ...walletTables,
  ...policyTables,
  ...connectionTables,
  member,
  ...paymentTables,
  run,
  runRow,
  sendOn,
  paidRecipient,
  ...purchaseTables,
  ...spentSumTables,
  ...approvalTables,
  ...bookingTables,
  ...limitTables,
  ...eventTables,
  ...objectTables,
] as const

export const treasurySql = sqlOf(treasuryTables)
