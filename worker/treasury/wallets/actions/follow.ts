import { sameAddress } from '#domain/sameAddress.ts'
import { addressTopic, topics } from '../../../chain/calls.ts'
import { readLogs } from '../../../chain/readLogs.ts'
import type { Block, WalletState } from '../../../chain/types.ts'
import type { Context } from '../../core/context.ts'
import { knowsContracts } from '../../core/contracts.ts'
import { maySign, signingAllowed } from '../../core/stop.ts'
import type { WalletActionRow, WalletRow } from '../../core/storage/rows.ts'
import { audit } from '../../ledger/audit.ts'
import { readSession, undos } from '../session.ts'
import { forgetSnapshot } from '../snapshots.ts'
import { openActions } from './actions.ts'
import { callRefusal, operatorKey, rotationOf, signedRotation } from './calls.ts'
import { isChanging } from './sessionChange.ts'

/** Advances this wallet's open actions by what the chain shows. Part of the settle alarm. Throws RpcUnavailable. */
export async function followActions(ctx: Context, wallet: WalletRow, head: Block): Promise<void> {
  const open = openActions(ctx, wallet.id)
  if (open.length === 0) return
  const before = undos(ctx).get(wallet.id)
  const isCurrent = () => undos(ctx).get(wallet.id) === before
  const reading = await readSession(ctx, wallet)
  if (!reading) return
  const { latest, confirmed } = reading
  for (const action of open) {
    if (action.status === 'draining') await send(ctx, wallet, action, latest)
    else if (confirmed) await settleAction(ctx, wallet, action, { state: confirmed, isCurrent }, head)
  }
}

/** Sends the action once payments signed under the old session, which it may void, are settled; after 5 minutes anyway. */
async function send(ctx: Context, wallet: WalletRow, action: WalletActionRow, state: WalletState): Promise<void> {
  const { store } = ctx
  // The rotation is not signed yet, so it would replace any current session, even one that the owner has set meanwhile.
  if (action.kind === 'rotate' && isOvertaken(action, state)) return end(ctx, action, 'failed', overtaken)
  const waits = store.first(
    "SELECT 1 FROM payment WHERE wallet_id = ? AND status = 'PROCESSING' AND epoch = ? AND max_deadline >= ? AND revert IS NULL LIMIT 1",
    wallet.id,
    state.epoch,
    state.timestamp,
  )
  if (waits !== null && ctx.now() < action.drain_until!) return

  let { data, deadline, valid_until: validUntil } = action
  if (action.kind === 'rotate') {
    if (ctx.store.isSuspended) return end(ctx, action, 'failed', 'The operator has suspended the account.')
    if (!(await signingAllowed(ctx)) || !knowsContracts(ctx, wallet)) return
    const operator = operatorKey(ctx)
    if (!operator) return end(ctx, action, 'failed', 'Rotations by Bursar were switched off.')
    const rotation = rotationOf(action, state)
    data = signedRotation(wallet, rotation, operator)
    deadline = rotation.deadline
    validUntil = rotation.validUntil
  }
  // Nothing has been submitted yet, so an action that the wallet would refuse can fail immediately.
  const refused = await callRefusal(ctx, wallet, data!)
  if (refused) return end(ctx, action, 'failed', refused.message)
  store.transaction(() => {
    // Operators may have stopped signing during the call above; the next run checks again.
    if (action.kind === 'rotate' && (store.isSuspended || !maySign(ctx))) return
    const sent = { data, deadline, valid_until: validUntil, epoch: state.epoch, first_block: state.blockNumber }
    if (store.update('wallet_action', action.id, { status: 'sent', ...sent }, { status: 'draining' }))
      audit(store, ctx.now(), 'action.signed', action.id, { kind: action.kind, epoch: state.epoch, deadline })
  })
}

/** The wallet's state at CONFIRM_DEPTH. `isCurrent` returns false if bookings have been undone since it was read. */
type Confirmed = { state: WalletState; isCurrent: () => boolean }

/** An action is done once the wallet shows it, and failed only once a finalized block shows that it can't be executed. */
async function settleAction(
  ctx: Context,
  wallet: WalletRow,
  action: WalletActionRow,
  { state, isCurrent }: Confirmed,
  head: Block,
): Promise<void> {
  const isShown = await isDone(ctx, wallet, action, state)
  if (!isCurrent()) return
  if (isShown) return end(ctx, action, 'done', null, state.blockNumber)
  if (head.timestamp <= action.deadline! && !isOvertaken(action, state)) return
  const chain = ctx.chains[wallet.chain_id]
  const final = await chain.finalized()
  const finalState = await chain.walletState(wallet.address, final.number)
  if (!finalState || (await isDone(ctx, wallet, action, finalState))) return
  if (isOvertaken(action, finalState)) end(ctx, action, 'failed', overtaken)
  else if (final.timestamp > action.deadline!)
    end(ctx, action, 'failed', 'It did not reach the chain in time. Nothing changed; please try again.')
}

async function isDone(ctx: Context, wallet: WalletRow, action: WalletActionRow, state: WalletState): Promise<boolean> {
  switch (action.kind) {
    case 'rotate':
    case 'setSession':
      return (
        sameAddress(action.key_address, state.sessionKey) ||
        // The key was in force before and has been replaced since.
        ctx.store.first(
          'SELECT 1 FROM session WHERE wallet_id = ? AND key_address = ? COLLATE NOCASE AND undone = 0',
          wallet.id,
          action.key_address,
        ) !== null
      )
    case 'revokeSession':
      return state.ownerNonce > BigInt(action.owner_nonce!) && state.epoch > action.epoch!
    case 'disableRotation':
      return state.rotationDisabled
    case 'withdraw':
      return state.ownerNonce > BigInt(action.owner_nonce!) && (await hasLeft(ctx, wallet, action, state.blockNumber))
  }
}

const overtaken = 'Another change of this wallet came first.'

/** True if the wallet has moved past the epoch or owner nonce that the signature binds. */
const isOvertaken = (action: WalletActionRow, state: WalletState) =>
  action.kind === 'rotate' ? state.epoch > action.epoch! : state.ownerNonce > BigInt(action.owner_nonce!)

async function hasLeft(ctx: Context, wallet: WalletRow, action: WalletActionRow, toBlock: number): Promise<boolean> {
  const chain = ctx.chains[wallet.chain_id]
  const filter = {
    address: chain.usdc,
    topics: [topics.transfer, addressTopic(wallet.address), addressTopic(action.to_address!)],
  }
  const [logs] = await readLogs(chain, [filter], { fromBlock: action.first_block!, toBlock })
  return logs!.some((log) => BigInt(log.data) === BigInt(action.amount!))
}

function end(
  ctx: Context,
  action: WalletActionRow,
  status: 'done' | 'failed',
  error: string | null = null,
  doneBlock: number | null = null,
): void {
  const { store } = ctx
  forgetSnapshot(ctx, action.wallet_id)
  store.transaction(() => {
    const ended = { status, error, ended_at: ctx.now(), done_block: doneBlock }
    if (store.update('wallet_action', action.id, ended, { ended_at: null }))
      audit(store, ctx.now(), `action.${status}`, action.id, { kind: action.kind, ...(error && { error }) })
  })
}

const replaced = 'A chain reorganization undid this change. Another change of the session key is in progress.'

/**
 * Reopens actions that the chain showed as done in a block that is not final: they are submitted again, and the chain
 * decides how they end. Call inside a transaction. Of several session changes only the first is reopened and the others
 * fail, because only one is followed at a time and the wallet accepts the later ones only after it.
 */
export function undoActions(ctx: Context, wallet: WalletRow): void {
  const { store } = ctx
  const done = store.all<WalletActionRow>(
    "SELECT * FROM wallet_action WHERE wallet_id = ? AND status = 'done' AND done_block > ? ORDER BY done_block, created_at",
    wallet.id,
    wallet.final_block,
  )
  for (const { id, kind } of done) {
    const isReplaced = (kind === 'rotate' || kind === 'setSession') && isChanging(ctx, wallet.id)
    const after = isReplaced
      ? ({ status: 'failed', error: replaced, ended_at: ctx.now() } as const)
      : ({ status: 'sent', error: null, ended_at: null } as const)
    store.update('wallet_action', id, { ...after, done_block: null })
    audit(store, ctx.now(), 'action.undone', id, { kind })
  }
}
