import { blocksRepeat } from '#domain/runs/runStatus.ts'
import { accountRows } from '../../../db/userRestores.ts'
import type { RecoverableValue } from '../../../history/api.ts'
import { historyOf } from '../../../historyOf.ts'
import type { Context } from '../../core/context.ts'
import type { RecoverableAgent, RecoverableWallet } from '../../outbox/delivery/recoverableRows.ts'
import { ensureSaltBackedUp, saltBinding } from '../../payments/payouts/keys.ts'
import { contactChanged } from '../../reports/changes/contacts.ts'
import { fileKey } from '../../runs/create.ts'
import { copyRun, type RecoverableRun } from '../../runs/restored.ts'
import { compareContacts } from '../contacts.ts'
import { keepOwner } from '../owner.ts'
import { bindKey } from './copy.ts'
import type { Unexplained } from './rpcTypes.ts'

/**
 * Copies what D1 and History know of the account itself: the owner, a suspension, contacts, wallets, and the salt of the
 * payouts' keys. Safe to repeat.
 */
export async function copyAccount(ctx: Context): Promise<Unexplained[]> {
  const { store, db, userId } = ctx
  const [{ owner, suspension }, kept] = await Promise.all([
    accountRows(db, userId),
    historyOf(ctx.env, userId).recoverableValues(),
  ])
  const sealed = kept.find(({ name }) => name === 'salt')?.value
  const salt = sealed === undefined ? null : await ctx.sealer.open(sealed, saltBinding(ctx))
  const unexplained: Unexplained[] = []
  store.transaction(() => {
    const here = store.meta('payout_salt')
    if (here === null && salt !== null) store.setMeta('payout_salt', salt)
    else if (salt !== null && here !== salt)
      unexplained.push({ what: 'salt', ref: 'account', detail: 'History keeps a different salt of the payouts’ keys' })
    if (owner) keepOwner(ctx, owner)
    if (suspension && suspension.version > store.suspension.version) store.suspension = suspension
    // Of two at one address, the one that was not deleted.
    const wallets = walletsIn(kept).sort((a, b) => Number(a.deleted) - Number(b.deleted))
    for (const wallet of wallets) unexplained.push(...copyWallet(ctx, wallet))
    for (const [id, { name }] of valuesOf<RecoverableAgent>(kept, 'agent')) store.update('agent', id, { name })
    for (const [, run] of valuesOf<RecoverableRun>(kept, 'run')) restoreRun(ctx, run)
  })
  if (store.meta('payout_salt') !== null) await ensureSaltBackedUp(ctx)
  const { missing } = await compareContacts(ctx, false)
  for (const { id } of missing) contactChanged(ctx, id, null)
  return unexplained
}

/** The values named `<kind>:<id>`, with their ids. */
const valuesOf = <Value>(kept: RecoverableValue[], kind: 'agent' | 'wallet' | 'run'): [id: string, Value][] =>
  kept.flatMap(({ name, value }) => {
    const [itsKind, id] = name.split(':')
    return itsKind === kind ? [[id!, JSON.parse(value) as Value] as const] : []
  })

const walletsIn = (kept: RecoverableValue[]) => valuesOf<RecoverableWallet>(kept, 'wallet').map(([, wallet]) => wallet)

export const recoverableWallets = async ({ env, userId }: Context): Promise<RecoverableWallet[]> =>
  walletsIn(await historyOf(env, userId).recoverableValues())

/**
 * Adds a wallet that was created since, without its keys, which only the lost object had. One that was also deleted since
 * is added as well, so that its payments have a wallet and its logs are read.
 */
function copyWallet(ctx: Context, { deleted: _, name, request, ...wallet }: RecoverableWallet): Unexplained[] {
  const { store } = ctx
  bindKey(ctx, request, 'wallet', wallet.id, wallet.created_at)
  if (store.wallet(wallet.id)) {
    store.update('wallet', wallet.id, { name })
    return []
  }
  const other = store.first<{ id: string }>(
    "SELECT id FROM wallet WHERE chain_id = ? AND address = ? COLLATE NOCASE AND status <> 'deleted'",
    wallet.chain_id,
    wallet.address,
  )
  if (other)
    return [{ what: 'wallet', ref: wallet.id, detail: `${wallet.address} was added since, and is here as ${other.id}` }]
  const { kind, start_block: start, start_balance: deposits } = wallet
  store.insert('wallet', {
    ...wallet,
    name,
    status: kind === 'smart' ? 'deploying' : 'active',
    sealed_key: '',
    deposits,
    scanned_block: start,
    final_block: start,
    paused: kind === 'smart' ? 0 : 1,
    request_key: request?.key ?? null,
  })
  return []
}

/** A run that was made or decided since. The same file stays the same run, unless that was denied or cancelled. */
function restoreRun(ctx: Context, run: RecoverableRun): void {
  copyRun(ctx, run)
  const { id, file_hash: fingerprint, status, created_at } = run
  if (run.made_from === null && blocksRepeat(status))
    bindKey(ctx, { key: fileKey(fingerprint), fingerprint }, 'run', id, created_at)
}

/** Deletes wallets that were deleted since, as `deleteWallet` does, after their logs have been read. */
export function deleteWallets({ store }: Context, kept: RecoverableWallet[]): void {
  for (const { id } of kept.filter(({ deleted }) => deleted)) {
    store.run("UPDATE wallet SET status = 'deleted', sealed_key = '' WHERE id = ?", id)
    store.run("UPDATE session SET sealed_key = '', current = 0 WHERE wallet_id = ?", id)
    store.run('DELETE FROM imported_key WHERE wallet_id = ?', id)
  }
}
