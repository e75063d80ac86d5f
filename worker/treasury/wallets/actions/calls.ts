import { deadlineSeconds } from '#domain/intent.ts'
import { microUsdc } from '#domain/money.ts'
import type { OwnerActionKind } from '#domain/sessionKey.ts'
import { refillLimit } from '#domain/x402/purchaseClasses.ts'
import {
  disableRotationCall,
  revokeSessionCall,
  rotateCall,
  setSessionCall,
  withdrawCall,
} from '../../../chain/calls.ts'
import { rotateDigest } from '../../../chain/digests.ts'
import { signCompact } from '../../../chain/sign.ts'
import { type Address, type Hex, RpcError, type WalletState } from '../../../chain/types.ts'
import { type Refused, refuse } from '../../../result.ts'
import type { Context } from '../../core/context.ts'
import { fromColumn } from '../../core/storage/columns.ts'
import type { WalletActionRow, WalletRow } from '../../core/storage/rows.ts'

export const operatorKey = (ctx: Context): Hex | null => {
  const key = ctx.env.OPERATOR_KEY_V1
  return key ? `0x${key.replace(/^0x/, '')}` : null
}

export type Rotation = Omit<Parameters<typeof rotateCall>[0], 'r' | 'vs'>

/** A session's key, its limit (micro-USDC), and the part of it for purchases (whole USDC). */
type Granted = { key: Address; limit: bigint; purchaseAllowance: number }

/** A rotation as it is stored. Without `ttl_hours` it renews the purchase allowance. */
type StoredRotation = Pick<WalletActionRow, 'key_address' | 'purchase_allowance' | 'ttl_hours'> &
  Partial<Pick<WalletActionRow, 'spend_limit'>>

/** `action` must be a rotation or a session that the owner signs. */
export const grantedBy = (action: Omit<StoredRotation, 'ttl_hours'>): Granted => ({
  key: action.key_address!,
  limit: fromColumn(action.spend_limit!),
  purchaseAllowance: action.purchase_allowance!,
})

/**
 * The session that renews what purchases have used (micro-USDC): it lets sends take what they have left, for as long as they
 * could, and purchases the whole allowance again.
 */
const refilledBy = (
  action: Pick<WalletActionRow, 'key_address' | 'purchase_allowance'>,
  { remaining, validUntil }: WalletState,
) => ({
  key: action.key_address!,
  limit: refillLimit(microUsdc(remaining), action.purchase_allowance!),
  purchaseAllowance: action.purchase_allowance!,
  validUntil,
})

/** The rotation that a stored action stands for. */
export const rotationOf = (action: StoredRotation, state: WalletState): Rotation =>
  rotationAt(
    state,
    action.ttl_hours === null ? refilledBy(action, state) : { ...grantedBy(action), hours: action.ttl_hours },
  )

/** The rotation as it would be signed at `state`: validity and deadline are relative to chain time. */
export function rotationAt(
  state: WalletState,
  action: Granted & ({ hours: number } | { validUntil: number }),
): Rotation {
  return {
    key: action.key,
    limit: action.limit,
    purchaseAllowance: action.purchaseAllowance,
    validUntil: 'hours' in action ? state.timestamp + action.hours * 3600 : action.validUntil,
    expectedEpoch: state.epoch,
    deadline: state.timestamp + deadlineSeconds,
  }
}

export function signedRotation(
  wallet: Pick<WalletRow, 'chain_id' | 'address'>,
  rotation: Rotation,
  operator: Hex,
): Hex {
  const { key: newKey, ...terms } = rotation
  const domain = { chainId: wallet.chain_id, contract: wallet.address }
  const digest = rotateDigest(domain, { newKey, ...terms })
  return rotateCall({ ...rotation, ...signCompact(digest, operator) })
}

/** The call that anyone may submit with the owner's signature. */
export function ownerCall(
  action: { kind: OwnerActionKind; session?: Granted & { validUntil: number } } & {
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

const ownerMustSign = (message: string): Refused => refuse('owner_must_sign', message)

const noLongerValid: Refused = refuse('unprocessable', 'This signature can no longer be used. Please sign again.')

export const noOperator = ownerMustSign('Bursar cannot rotate session keys here. Sign with your owner key.')

export const rotationDisabled = ownerMustSign(
  'You switched off Bursar’s authority to rotate this wallet’s session key. Sign the renewal with your owner key.',
)

const refusals: Record<string, Refused> = {
  RotationDisabled: rotationDisabled,
  SessionRevoked: ownerMustSign(
    'You revoked this wallet’s session key. Only your owner key can set a new one: sign the renewal with it.',
  ),
  DailyGrantExceeded: ownerMustSign(
    'Bursar may grant this wallet at most 10,000.00 USDC per UTC day, and this grant would exceed that. Choose a lower limit, wait until midnight UTC, or sign with your owner key.',
  ),
  NotOperator: ownerMustSign('Rotations by Bursar are paused. You can sign the renewal with your owner key instead.'),
  WrongSigner: refuse(
    'invalid_input',
    'This signature was not made with the wallet’s owner key, or the wallet has changed since. Please sign again.',
    { field: 'signature' },
  ),
  SignatureExpired: noLongerValid,
  DeadlineTooFar: noLongerValid,
  WrongEpoch: refuse('conflict', 'The session key has changed in the meantime. Please reload and try again.'),
  InvalidRecipient: refuse('invalid_input', 'The wallet can’t withdraw to this address.', { field: 'to' }),
}

/** The reason why the wallet would refuse this call now; null if it would accept it. Throws RpcUnavailable. */
export async function callRefusal(ctx: Context, wallet: WalletRow, data: Hex): Promise<Refused | null> {
  try {
    await ctx.chains[wallet.chain_id].call({ to: wallet.address, data })
    return null
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    const known = refusals[/^\w+/.exec(error.message)?.[0] ?? '']
    // An error without revert data comes from the node, not from the contract.
    if (!known && error.data === undefined) throw error
    return known ?? refuse('unprocessable', `The wallet refuses this: ${error.message}.`)
  }
}
