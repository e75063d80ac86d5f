/** An account with nearly as many contacts as it may have, and 100,000 transactions, for the tests of neighbors. */
import { maxContacts } from '#domain/contactRules.ts'
import { minuteMs } from '#domain/time.ts'
import { withHistory } from './objectFiles.ts'
import { openDatabase } from './readyAccounts.ts'
import type { TestStack } from './testStack.ts'

const transactions = 100_000

/** Writes the rows while the Worker is down, and restarts it. Returns the ids of the contacts. */
export async function fillAccount(
  stack: TestStack,
  { userId, token }: { userId: string; token: string },
): Promise<string[]> {
  const contacts = maxContacts - 100
  await stack.bursar.api('/transactions/user', { token })
  await stack.stopWorker()
  const database = openDatabase(stack.stateDir)
  const now = Date.now()
  const numbers = (last: number) => `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${last})`
  const contact = `'${userId}_' || i, '${userId}', 'Person ' || i, 'p' || i || '@bursar.test', replace(hex(zeroblob(250)), '00', 'ж'),
    'person ' || i || char(10) || 'p' || i || '@bursar.test' || char(10) || replace(hex(zeroblob(250)), '00', 'ж'), ${now} - i, ${now}`
  const body = `json_object('id', '${userId}_' || i, 'category', 'address', 'status', 'CONFIRMED', 'amountUsdc', '1',
    'createdAt', '2026-01-01T00:00:00.000Z', 'agentId', NULL, 'agent', NULL, 'contactId', NULL, 'contact', NULL,
    'toAddress', '0x' || hex(randomblob(20)), 'fromWalletId', 'wal', 'fromWallet', json_object('name', 'Ops', 'address', 'x'),
    'fromWalletChain', 'base', 'txHash', '0x' || hex(randomblob(32)), 'memo', 'Invoice ' || i, 'errorMessage', NULL,
    'recipientEmail', NULL, 'recipientPhone', NULL, 'escrowId', NULL, 'refusal', NULL, 'timeline', json_object())`
  database.exec(`BEGIN;
    INSERT INTO contact (id, user_id, name, email, description, search_text, created_at, updated_at)
    ${numbers(contacts)} SELECT ${contact} FROM n;
    COMMIT;`)
  database.close()
  withHistory(stack.stateDir, userId, (db) =>
    db.exec(`BEGIN;
      INSERT INTO transaction_view (id, seq, created_at, status, category, amount, wallet_id, chain, body, recoverable)
      ${numbers(transactions)} SELECT '${userId}_' || i, 1, ${now} - i * ${minuteMs}, 'CONFIRMED', 'address',
        (i % 250 + 1) * 1000000, 'wal', 'base', ${body}, hex(zeroblob(440)) FROM n;
      COMMIT;`),
  )
  await stack.restartWorker()
  return Array.from({ length: contacts }, (_, i) => `${userId}_${i + 1}`)
}
