/** Users' Histories from inside. */
import { runInDurableObject } from 'cloudflare:test'
import { ownAccount, type PersonId } from '#domain/accounts.ts'
import type { Escrow } from '#schemas/escrow.ts'
import type { Transaction } from '#schemas/transaction.ts'
import type { Person } from '../../worker/appEnv.ts'
import { primaryDb } from '../../worker/db/d1.ts'
import type { Change } from '../../worker/history/api.ts'
import type { History } from '../../worker/history/history.ts'
import { Rows } from '../../worker/history/rows.ts'
import { getOverview } from '../../worker/services/overview.ts'
import { sendChanges } from '../../worker/treasury/outbox/delivery/history.ts'
import { ownerTreasuryOf } from '../../worker/treasuryOf.ts'
import { env } from './testEnv.ts'
import { inTreasury, type User, userIdOf } from './treasuries.ts'

export const historyOf = (user: User): DurableObjectStub<History> => env.HISTORY.getByName(userIdOf(user))

export const inHistory = <T>(
  user: User,
  work: (history: History, state: DurableObjectState) => T | Promise<T>,
): Promise<T> => runInDurableObject(historyOf(user), work)

/** All rows of a query on the History's tables. Writes, too. */
export const historyRows = <Row extends Record<string, SqlStorageValue>>(
  user: User,
  query: string,
  ...values: SqlStorageValue[]
): Promise<Row[]> => inHistory(user, (_, { storage }) => storage.sql.exec<Row>(query, ...values).toArray())

/** The Treasury sends its History what it lacks. */
export const syncHistory = (user: User) => inTreasury(user, ({ context }) => sendChanges(context))

/** The user with an open login session. */
export function signedIn(user: User): Person {
  const [personId, loginSessionId] = [userIdOf(user) as PersonId, 'ses_test']
  const deps = { env, db: primaryDb(env.DB), now: Date.now } as unknown as Person['deps']
  const treasury = ownerTreasuryOf(env, personId, loginSessionId)
  return { deps, personId, accountId: ownAccount(personId), callerId: loginSessionId, loginSessionId, treasury }
}

export const overviewOf = (user: User) => getOverview(signedIn(user))

type Listed = { transactions?: Transaction[]; payouts?: Escrow[] }

/** Writes rows that no Treasury has. History still follows its Treasury from the beginning. */
export const putRows = (user: User, { transactions = [], payouts = [] }: Listed) =>
  inHistory(user, (_, { storage }) => {
    const listed = <Row>(row: Row, usdc: string) => ({ row, amount: Number(usdc) * 1_000_000, recoverable: null })
    const changes: Change[] = [
      ...transactions.map((row) => ({
        ...{ seq: 1, ref: row.id, value: null },
        rows: { transactions: [listed(row, row.amountUsdc)], payout: null, counted: null },
      })),
      ...payouts.map((row) => ({
        ...{ seq: 1, ref: row.id, value: null },
        rows: { transactions: [], payout: listed(row, row.amount), counted: null },
      })),
    ]
    storage.sql.exec('DELETE FROM position')
    new Rows(storage).apply({ from: 0, to: { incarnation: 'test', seq: 1, audit: null }, changes, isLast: true })
    storage.sql.exec('DELETE FROM position')
  })
