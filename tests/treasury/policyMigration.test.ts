import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { migrate } from '../../worker/durable/migrations.ts'
import { treasuryMigrations } from '../../worker/treasury/storage/migrations.ts'
import { storageOf } from '../support/memoryTreasury.ts'

test('the migration to policy limits keeps the figures of groups and agents and counts their open payments', () => {
  const db = new DatabaseSync(':memory:')
  const storage = storageOf(db)
  migrate(storage, treasuryMigrations, 2)
  db.exec(`
    INSERT INTO wallet (id, chain_id, kind, address, owner, status, factory, salt, session_key, sealed_key, session_limit, valid_until, scanned_block, created_at)
      VALUES ('w', 8453, 'smart', '0x1', '0x2', 'active', '0x3', '0x', '0x4', '', 1, 1, 1, 0);
    INSERT INTO policy_group (id, wallet_id, name, spend_limit, spent, held, scopes, created_at) VALUES ('g', 'w', 'G', 100, 5, 14, '[]', 0);
    INSERT INTO agent (id, group_id, name, client_id, spent, created_at) VALUES ('a', 'g', 'A', 'a', 5, 0), ('b', 'g', 'B', 'b', 0, 0);`)
  const add = (id: string, agent: string, kind: string, amount: number, status: string) =>
    db
      .prepare(
        "INSERT INTO payment (id, kind, wallet_id, group_id, agent_id, to_type, amount, status, created_at, give_up_at) VALUES (?, ?, 'w', 'g', ?, 'address', ?, ?, 0, 0)",
      )
      .run(id, kind, agent, amount, status)
  add('1', 'a', 'send', 1, 'QUEUED')
  add('2', 'a', 'send', 2, 'PROCESSING')
  add('3', 'a', 'payout', 3, 'PENDING')
  add('4', 'a', 'send', 5, 'CONFIRMED')
  add('5', 'a', 'payout', 7, 'CANCELLED')
  add('6', 'b', 'payout', 8, 'PROCESSING')
  add('7', 'b', 'send', 16, 'FAILED')
  migrate(storage, treasuryMigrations)
  expect(db.prepare('SELECT id, held, spent FROM agent ORDER BY id').all()).toEqual([
    { id: 'a', held: 6, spent: 5 },
    { id: 'b', held: 8, spent: 0 },
  ])
  expect(
    db.prepare('SELECT held, spent, unclaimed, period, max_payment, max_unclaimed FROM policy_group').all(),
  ).toEqual([{ held: 14, spent: 5, unclaimed: 11, period: null, max_payment: null, max_unclaimed: null }])
  db.close()
})
