import {
  addressTopic,
  disableRotationCall,
  revokeSessionCall,
  rotateCall,
  setSessionCall,
  topics,
  withdrawCall,
} from '../chain/calls.ts'
import { rotateDigest } from '../chain/digests.ts'
import { signCompact } from '../chain/sign.ts'
import { type Address, type Block, type Hex, RpcError, type WalletState } from '../chain/types.ts'
import { deadlineSeconds } from '../domain/intent.ts'
import { formatUsdc } from '../domain/money.ts'
import type { OwnerActionKind } from '../domain/sessionKey.ts'
import type { Refused } from '../errors.ts'
import type { WalletActionView } from '../schemas/sessionKey.ts'
import { audit } from './audit.ts'
import type { Context } from './context.ts'
import type { WalletRow } from './store.ts'
import { readSession } from './wallets.ts'

/**
 * Changes of a wallet itself, brought on chain like payments: signed by the provider's operator (`rotate`) or by the
 * owner, stored before they leave, ended by the chain alone. Written down with its new key before anything is signed,
 * a rotation survives a crash at any step, and its key is known whenever the chain shows it.
 *
 * offered (waits for the owner's signature) → draining (waits for payments of the old session) → sent → done | failed
 */
export type WalletActionRow = {
  id: string
  wallet_id: string
  kind: 'rotate' | OwnerActionKind
  status: 'offered' | 'draining' | 'sent' | 'done' | 'failed'
  key_address: Address | null
  sealed_key: string | null
  spend_limit: number | null
  ttl_hours: number | null
  valid_until: number | null
  /** The session being replaced. */
  epoch: number | null
  /** uint256 in decimal. */
  owner_nonce: string | null
  to_address: Address | null
  amount: number | null
  deadline: number | null
  data: Hex | null
  first_block: number | null
  drain_until: number | null
  tx_hash: Hex | null
  error: string | null
  created_at: number
  ended_at: number | null
}

export const actionOf = (ctx: Context, id: string) =>
  ctx.store.first<WalletActionRow>('SELECT * FROM wallet_action WHERE id = ?', id)

/** Under way: signed, or about to be. An offer binds nobody. */
const openActions = (ctx: Context, walletId: string) =>
  ctx.store.all<WalletActionRow>(
    "SELECT * FROM wallet_action WHERE wallet_id = ? AND ended_at IS NULL AND status <> 'offered' ORDER BY created_at",
    walletId,
  )
export const hasOpenAction = (ctx: Context, walletId: string) => openActions(ctx, walletId).length > 0

/** For the Relayer: what was signed and may still be executed. */
export const deliverableActions = (ctx: Context) =>
  ctx.store.all<WalletActionRow>("SELECT * FROM wallet_action WHERE status = 'sent' AND ended_at IS NULL")

// ---- signing ----------------------------------------------------------------------------------------------------

export const operatorKey = (ctx: Context): Hex | null => {
  const key = ctx.env.OPERATOR_KEY_V1
  return key ? `0x${key.replace(/^0x/, '')}` : null
}

export type Rotation = { key: Address; limit: bigint; validUntil: number; expectedEpoch: number; deadline: number }

/** The rotation as it would be signed at `state`: validity and deadline count from chain time. */
export function rotationAt(state: WalletState, action: { key: Address; limit: bigint; hours: number }): Rotation {
  return {
    key: action.key,
    limit: action.limit,
    validUntil: state.timestamp + action.hours * 3600,
    expectedEpoch: state.epoch,
    deadline: state.timestamp + deadlineSeconds,
  }
}

export function signedRotation(
  wallet: Pick<WalletRow, 'chain_id' | 'address'>,
  rotation: Rotation,
  operator: Hex,
): Hex {
  const { key, limit, validUntil, expectedEpoch, deadline } = rotation
  const domain = { chainId: wallet.chain_id, contract: wallet.address }
  const digest = rotateDigest(domain, { newKey: key, limit, validUntil, expectedEpoch, deadline })
  return rotateCall({ ...rotation, ...signCompact(digest, operator) })
}

/** What an owner signed, as the call that anyone may submit. */
export function ownerCall(
  action: { kind: OwnerActionKind; session?: { key: Address; limit: bigint; validUntil: number } } & {
    withdraw?: { token: Address; to: Address; amount: bigint }
  },
  signed: { deadline: number; r: Hex; vs: Hex },
): Hex {
  switch (action.kind) {
    case 'setSession':
      return setSessionCall({ ...action.session!, ...signed })
    case 'revokeSession':
      return revokeSessionCall(signed)
    case 'disableRotation':
      return disableRotationCall(signed)
    case 'withdraw':
      return withdrawCall({ ...action.withdraw!, ...signed })
  }
}

const ownerMustSign = (message: string): Refused => ({ ok: false, code: 'owner_must_sign', message })
const noLongerValid: Refused = {
  ok: false,
  code: 'unprocessable',
  message: 'This signature can no longer be used. Please sign again.',
}
const refusals: Record<string, Refused> = {
  RotationDisabled: ownerMustSign(
    'You switched off our authority to rotate this wallet’s session key. Sign the renewal with your owner key.',
  ),
  SessionRevoked: ownerMustSign(
    'You revoked this wallet’s session key. Only your owner key can set a new one: sign the renewal with it.',
  ),
  DailyGrantExceeded: ownerMustSign(
    'We may grant this wallet 10,000 USDC a day (UTC), and today’s grants with this one would be more. Choose a lower limit, wait until midnight UTC, or sign with your owner key.',
  ),
  NotOperator: ownerMustSign('Our rotations are paused. You can sign the renewal with your owner key instead.'),
  WrongSigner: {
    ok: false,
    code: 'invalid_input',
    message: 'This signature is not by the wallet’s owner key, or the wallet changed since. Please sign again.',
    field: 'signature',
  },
  SignatureExpired: noLongerValid,
  DeadlineTooFar: noLongerValid,
  WrongEpoch: { ok: false, code: 'conflict', message: 'The session key changed meanwhile. Please look again.' },
  InvalidRecipient: {
    ok: false,
    code: 'invalid_input',
    message: 'The wallet can’t withdraw to this address.',
    field: 'to',
  },
}

/** Why the wallet would refuse this call now; null when it would take it. Throws RpcUnavailable. */
export async function refusalOf(ctx: Context, wallet: WalletRow, data: Hex): Promise<Refused | null> {
  try {
    await ctx.chains[wallet.chain_id].call({ to: wallet.address, data })
    return null
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    const known = refusals[/^\w+/.exec(error.message)?.[0] ?? '']
    // A node's own trouble says nothing of the wallet.
    if (!known && error.data === undefined) throw error
    return known ?? { ok: false, code: 'unprocessable', message: `The wallet refuses this: ${error.message}.` }
  }
}

// ---- following --------------------------------------------------------------------------------------------------

/** One look at what is under way for this wallet; part of the settle timer. Nothing is guessed from silence. */
export async function followActions(ctx: Context, wallet: WalletRow, head: Block): Promise<void> {
  const open = openActions(ctx, wallet.id)
  if (open.length === 0) return
  const state = await readSession(ctx, wallet)
  if (!state) return
  for (const action of open) {
    if (action.status === 'draining') await send(ctx, wallet, action, state)
    else await settleAction(ctx, wallet, action, state, head)
  }
}

/** Payments signed under the old session come first, so that none of them dies with it; for five minutes at most. */
async function send(ctx: Context, wallet: WalletRow, action: WalletActionRow, state: WalletState): Promise<void> {
  const { store } = ctx
  // Not yet signed, so it would bind whatever session it finds: the owner's own, set meanwhile (threats.md A5).
  if (action.kind === 'rotate' && isOvertaken(action, state)) return end(ctx, action, 'failed', overtaken)
  const waits = store.first(
    "SELECT 1 FROM payment WHERE wallet_id = ? AND status = 'PROCESSING' AND epoch = ? AND max_deadline >= ? LIMIT 1",
    wallet.id,
    state.epoch,
    state.timestamp,
  )
  if (waits !== null && ctx.now() < action.drain_until!) return

  let { data, deadline, valid_until: validUntil } = action
  if (action.kind === 'rotate') {
    const operator = operatorKey(ctx)
    if (!operator) return end(ctx, action, 'failed', 'Rotations by Bursar were switched off.')
    const asked = { key: action.key_address!, limit: BigInt(action.spend_limit!), hours: action.ttl_hours! }
    const rotation = rotationAt(state, asked)
    data = signedRotation(wallet, rotation, operator)
    deadline = rotation.deadline
    validUntil = rotation.validUntil
  }
  // Nothing has left yet: what the wallet would refuse now may fail at once.
  const refused = await refusalOf(ctx, wallet, data!)
  if (refused) return end(ctx, action, 'failed', refused.message)
  store.transaction(() => {
    const sent = store.run(
      "UPDATE wallet_action SET status = 'sent', data = ?, deadline = ?, valid_until = ?, epoch = ?, first_block = ? WHERE id = ? AND status = 'draining'",
      data,
      deadline,
      validUntil,
      state.epoch,
      state.blockNumber,
      action.id,
    )
    if (sent > 0)
      audit(store, ctx.now(), 'action.signed', action.id, { kind: action.kind, epoch: state.epoch, deadline })
  })
}

/** Done as the wallet shows; failed only when a finalized block says that it can never be executed any more. */
async function settleAction(
  ctx: Context,
  wallet: WalletRow,
  action: WalletActionRow,
  state: WalletState,
  head: Block,
): Promise<void> {
  if (await isDone(ctx, wallet, action, state)) return end(ctx, action, 'done')
  if (head.timestamp <= action.deadline! && !isOvertaken(action, state)) return
  const chain = ctx.chains[wallet.chain_id]
  const final = await chain.finalized()
  const finalState = await chain.walletState(wallet.address, final.number)
  if (!finalState || (await isDone(ctx, wallet, action, finalState))) return
  if (isOvertaken(action, finalState)) end(ctx, action, 'failed', overtaken)
  else if (final.timestamp > action.deadline!)
    end(ctx, action, 'failed', 'It did not reach the chain in time. Nothing changed; please try again.')
}

const same = (a: string | null, b: string) => a?.toLowerCase() === b.toLowerCase()

async function isDone(ctx: Context, wallet: WalletRow, action: WalletActionRow, state: WalletState): Promise<boolean> {
  switch (action.kind) {
    case 'rotate':
    case 'setSession':
      return (
        same(action.key_address, state.sessionKey) ||
        // It was seen before, and replaced since.
        ctx.store.first(
          'SELECT 1 FROM session WHERE wallet_id = ? AND key_address = ? COLLATE NOCASE',
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
/** The session or the owner's turn that the signature is for is over. */
const isOvertaken = (action: WalletActionRow, state: WalletState) =>
  action.kind === 'rotate' ? state.epoch > action.epoch! : state.ownerNonce > BigInt(action.owner_nonce!)

async function hasLeft(ctx: Context, wallet: WalletRow, action: WalletActionRow, toBlock: number): Promise<boolean> {
  const chain = ctx.chains[wallet.chain_id]
  const [logs] = await chain.logs([
    {
      address: chain.contracts.usdc,
      topics: [topics.transfer, addressTopic(wallet.address), addressTopic(action.to_address!)],
      fromBlock: action.first_block!,
      toBlock,
    },
  ])
  return logs!.some((log) => BigInt(log.data) === BigInt(action.amount!))
}

function end(ctx: Context, action: WalletActionRow, status: 'done' | 'failed', error: string | null = null): void {
  const { store } = ctx
  ctx.looks.delete(action.wallet_id)
  store.transaction(() => {
    const ended = store.run(
      'UPDATE wallet_action SET status = ?, error = ?, ended_at = ? WHERE id = ? AND ended_at IS NULL',
      status,
      error,
      ctx.now(),
      action.id,
    )
    if (ended > 0)
      audit(store, ctx.now(), `action.${status}`, action.id, { kind: action.kind, ...(error && { error }) })
  })
}

// ---- showing ----------------------------------------------------------------------------------------------------

const shownMs = 24 * 3600_000 // 24 hours
const shownCount = 10

/** What is under way, and what ended in the last day; newest first. */
export const recentActions = (ctx: Context, walletId: string): WalletActionView[] =>
  ctx.store
    .all<WalletActionRow>(
      "SELECT * FROM wallet_action WHERE wallet_id = ? AND status <> 'offered' AND (ended_at IS NULL OR ended_at > ?) ORDER BY created_at DESC, id DESC LIMIT ?",
      walletId,
      ctx.now() - shownMs,
      shownCount,
    )
    .map(actionView)

const actionView = (action: WalletActionRow): WalletActionView => ({
  id: action.id,
  kind: action.kind,
  status: action.status as WalletActionView['status'],
  sessionKeyAddress: action.key_address,
  spendingLimit: action.spend_limit === null ? null : String(action.spend_limit),
  validUntil: action.valid_until,
  toAddress: action.to_address,
  amount: action.amount === null ? null : formatUsdc(BigInt(action.amount)),
  txHash: action.tx_hash,
  error: action.error,
  createdAt: new Date(action.created_at).toISOString(),
  endedAt: action.ended_at === null ? null : new Date(action.ended_at).toISOString(),
})
