import { zeroUsdc } from '#domain/money.ts'
import { findContacts } from '../../db/contacts.ts'
import { accountRows } from '../../db/restoreRows.ts'
import { historyOf } from '../../historyOf.ts'
import { keepOwner } from '../account/owner.ts'
import { contactChanged } from '../changes/contacts.ts'
import type { Context } from '../core/context.ts'
import type { KeptWallet } from '../delivery/kept.ts'
import { enqueue } from '../outbox/enqueue.ts'
import { ensureSaltBackedUp, saltBinding } from '../payouts/keys.ts'
import { count, type RestoreState, recordUnexplained, writeState } from './state.ts'

/**
 * Imports what D1 and History know of the account itself, which is newer than what is here: the owner, a suspension, which credentials
 * still work, contacts, wallets, and the salt of the payouts' keys. They know neither the addresses of webhooks nor the owner's
 * limit, so webhooks are off and everything needs the password until the owner decides again.
 */
export async function importAccount(ctx: Context, state: RestoreState): Promise<void> {
  const { store, db, env, userId } = ctx
  const [known, contacts, kept] = await Promise.all([
    accountRows(db, userId),
    findContacts(db, userId, whitelistedIds(store)),
    historyOf(env, userId).keptValues(),
  ])
  const sealed = kept.find(({ name }) => name === 'salt')?.value
  const salt = sealed === undefined ? null : await ctx.sealer.open(sealed, saltBinding(ctx))
  const wallets = walletsIn(kept)
  store.transaction(() => {
    importSalt(ctx, state, salt)
    if (known.owner) keepOwner(ctx, known.owner)
    if (known.suspension && known.suspension.version > ctx.store.suspension.version) store.suspension = known.suspension
    endCredentials(ctx, state, kept.find(({ name }) => name === 'credentials')?.value ?? '[]')
    switchOffWebhooks(ctx, state)
    requirePassword(ctx, state)
    updateContacts(ctx, state, contacts)
    const [live, deleted] = [wallets.filter((each) => !each.deleted), wallets.filter((each) => each.deleted)]
    for (const wallet of [...live, ...deleted]) importWallet(ctx, state, wallet)
    writeState(store, { ...state, stage: 'payments' })
  })
  if (store.meta('payout_salt') !== null) await ensureSaltBackedUp(ctx)
}

export const keptWallets = async ({ env, userId }: Context): Promise<KeptWallet[]> =>
  walletsIn(await historyOf(env, userId).keptValues())

const walletsIn = (kept: { name: string; value: string }[]): KeptWallet[] =>
  kept.filter(({ name }) => name.startsWith('wallet:')).map(({ value }) => JSON.parse(value) as KeptWallet)

function importSalt({ store }: Context, state: RestoreState, salt: string | null): void {
  const here = store.meta('payout_salt')
  if (salt === null || here === salt) return
  if (here === null) store.setMeta('payout_salt', salt)
  else
    recordUnexplained(state, {
      what: 'salt',
      ref: 'account',
      detail: 'History keeps a different salt of the payouts’ keys',
    })
}

/** Ends credentials that were replaced, or whose agent was deleted. New ones are unknown here and must be created again. */
function endCredentials({ store }: Context, state: RestoreState, valid: string): void {
  const ended = store.run("DELETE FROM credential WHERE hash NOT IN (SELECT value->>'$.hash' FROM json_each(?))", valid)
  store.run(
    `UPDATE credential SET expires_at = (SELECT value->>'$.expires_at' FROM json_each(?1) WHERE value->>'$.hash' = credential.hash)
     WHERE hash IN (SELECT value->>'$.hash' FROM json_each(?1))`,
    valid,
  )
  if (ended > 0) count(state, 'credentials ended', ended)
}

/** An address or a secret may be one that the owner has replaced since. */
function switchOffWebhooks(ctx: Context, state: RestoreState): void {
  const { store } = ctx
  const on = store.all<{ id: string }>('SELECT id FROM webhook WHERE enabled = 1')
  for (const { id } of on) {
    store.run('UPDATE webhook SET enabled = 0, version = version + 1 WHERE id = ?', id)
    enqueue(ctx, 'webhook', id)
    count(state, 'webhooks switched off')
  }
}

/** The owner may have lowered the limit since. Raising it again needs the password. */
function requirePassword({ store }: Context, state: RestoreState): void {
  if (store.meta('approval_password_above') === zeroUsdc) return
  store.setMeta('approval_password_above', zeroUsdc)
  count(state, 'password limits set to 0')
}

const whitelistedIds = (store: Context['store']): string[] =>
  store.all<{ id: string }>('SELECT DISTINCT contact_id AS id FROM whitelist').map(({ id }) => id)

type Contact = { id: string; name: string; address: string | null; email: string | null; phone: string | null }

/** Contacts that have changed since are refused until the owner confirms them; deleted ones are removed from whitelists. */
function updateContacts(ctx: Context, state: RestoreState, contacts: Contact[]): void {
  const inD1 = new Map(contacts.map((contact) => [contact.id, contact]))
  const listed = ctx.store.all<Contact & { contact_id: string }>(
    'SELECT contact_id, address, email, phone FROM whitelist GROUP BY contact_id',
  )
  for (const { contact_id: id, address, email, phone } of listed) {
    const now = inD1.get(id)
    if (now && now.address === address && now.email === email && now.phone === phone) continue
    contactChanged(ctx, id, now ? ({ address: now.address, email: now.email, phone: now.phone } as never) : null)
    count(state, now ? 'contacts to confirm' : 'contacts removed')
  }
}

/**
 * Adds a wallet that was created since, without its keys, which only the lost object had. A wallet that was also deleted
 * since is added until its payments have been read.
 */
function importWallet(ctx: Context, state: RestoreState, wallet: KeptWallet): void {
  const { store } = ctx
  const known = store.wallet(wallet.id)
  if (known) {
    store.run('UPDATE wallet SET name = ? WHERE id = ?', wallet.name, wallet.id)
    return
  }
  const { start_block: start, start_balance: balance } = wallet
  const other = store.first<{ id: string }>(
    "SELECT id FROM wallet WHERE chain_id = ? AND address = ? COLLATE NOCASE AND status <> 'deleted'",
    wallet.chain_id,
    wallet.address,
  )
  if (other) {
    const detail = `${wallet.address} was made since, and ${other.id} has its address`
    recordUnexplained(state, { what: 'wallet', ref: wallet.id, detail })
    return
  }
  const isSmart = wallet.kind === 'smart'
  store.run(
    `INSERT INTO wallet (id, chain_id, kind, address, owner, name, status, factory, salt, session_key, sealed_key, session_limit,
       valid_until, deposits, scanned_block, final_block, paused, created_at, contract_set, start_block, start_balance)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    wallet.id,
    wallet.chain_id,
    wallet.kind,
    wallet.address,
    wallet.owner,
    wallet.name,
    isSmart ? 'deploying' : 'active',
    wallet.factory,
    wallet.salt,
    wallet.session_key,
    wallet.session_limit,
    wallet.valid_until,
    balance,
    start,
    start,
    isSmart ? 0 : 1,
    wallet.created_at,
    wallet.contract_set,
    start,
    balance,
  )
  count(state, isSmart ? 'wallets made since' : 'imported wallets without their key')
}

/** Deletes wallets that were deleted since, as `deleteWallet` does. Call once their logs have been read. */
export async function deleteWallets(ctx: Context): Promise<void> {
  const gone = (await keptWallets(ctx)).filter(({ deleted }) => deleted)
  ctx.store.transaction(() => {
    for (const { id } of gone) {
      ctx.store.run("UPDATE wallet SET status = 'deleted', sealed_key = '' WHERE id = ?", id)
      ctx.store.run("UPDATE session SET sealed_key = '', current = 0 WHERE wallet_id = ?", id)
      ctx.store.run('DELETE FROM imported_key WHERE wallet_id = ?', id)
    }
  })
}
