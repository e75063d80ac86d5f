import type { TestEnv } from './testEnv.ts'
import { inTreasury } from './treasuries.ts'

/** Returns a text that changes whenever data that an attacker could target in a user's Treasury or contacts changes. */
export async function hash(env: TestEnv, userId: string): Promise<string> {
  const rows = await inTreasury(userId, ({ context: { store } }) => [
    store.all('SELECT id, status, amount FROM payment ORDER BY id'),
    store.all('SELECT id, action, code_version FROM payout ORDER BY id'),
    store.all('SELECT id, name FROM wallet ORDER BY id'),
    store.all('SELECT id, name, spend_limit, scopes FROM policy_group ORDER BY id'),
    store.all('SELECT id, name, paused, deleted_at FROM agent ORDER BY id'),
    store.all('SELECT id, status, ended_at, decided_by FROM approval ORDER BY id'),
    store.all('SELECT id, used, spend_limit, ended_at FROM approval_grant ORDER BY id'),
    store.all('SELECT id, url, events, enabled, sealed_secret FROM webhook ORDER BY id'),
    store.meta('notices_read'),
  ])
  const contacts = await env.DB.prepare('SELECT * FROM contact WHERE user_id = ? ORDER BY id').bind(userId).all()
  const user = await env.DB.prepare('SELECT password_hash FROM user WHERE id = ?').bind(userId).first()
  return JSON.stringify([rows, contacts.results, user])
}
