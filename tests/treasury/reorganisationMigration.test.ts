import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { migrate } from '../../worker/durable/migrations.ts'
import { bookingTables } from '../../worker/treasury/settlement/tables.ts'
import { treasuryMigrations } from '../../worker/treasury/storage/migrations.ts'
import { storageOf } from '../support/memoryTreasury.ts'

test('the migration that adds bookings treats earlier ones as final and earlier reclaims as released @reorg-13', () => {
  const db = new DatabaseSync(':memory:')
  const storage = storageOf(db)
  const before = treasuryMigrations.indexOf(bookingTables)
  migrate(storage, treasuryMigrations, before)
  db.exec(`
    INSERT INTO wallet (id, chain_id, kind, address, owner, status, factory, salt, session_key, sealed_key, session_limit, valid_until, deposits, scanned_block, created_at)
      VALUES ('w', 8453, 'smart', '0x1', '0x2', 'active', '0x3', '0x', '0x4', '', 1, 1, 7, 42, 0);
    INSERT INTO session (wallet_id, epoch, key_address, sealed_key, spend_limit, valid_until, current) VALUES ('w', 1, '0x4', '', 1, 1, 1);
    INSERT INTO payment (id, kind, wallet_id, to_type, amount, status, created_at, give_up_at) VALUES ('p', 'payout', 'w', 'email', 5, 'CANCELLED', 0, 0);
    INSERT INTO payout (id, wallet_id, address, claim_key, reclaim_key, payer, amount, expiry, payout_hash, expires_at, status, sealed_token, token_hash, code_until, code_at, created_at, updated_at)
      VALUES ('p', 'w', '0x5', '', '', '0x1', 5, 0, '', 0, 'RECLAIMED', '', '', 0, 0, 0, 0);`)
  migrate(storage, treasuryMigrations)
  expect(db.prepare('SELECT scanned_block, final_block, anchor_block, anchor_hash FROM wallet').all()).toEqual([
    { scanned_block: 42, final_block: 42, anchor_block: null, anchor_hash: null },
  ])
  expect(db.prepare('SELECT adopted_block, undone FROM session').all()).toEqual([{ adopted_block: null, undone: 0 }])
  expect(db.prepare('SELECT returned_block, end_undone FROM payout').all()).toEqual([
    { returned_block: null, end_undone: 0 },
  ])
  expect(db.prepare('SELECT * FROM booking').all()).toEqual([])
  db.close()
})
