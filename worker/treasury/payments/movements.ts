import { utcDay } from '#domain/gasAllowance.ts'
import { chainNameOf } from '#domain/networks.ts'
import { eachNote } from '#domain/paymentNotes.ts'
import { isoOf } from '#domain/time.ts'
import type { Transaction } from '#schemas/transaction.ts'
import type { Address, Log } from '../../chain/types.ts'
import type { Context } from '../core/context.ts'
import { formatColumn } from '../core/storage/columns.ts'
import type { MovementRow, WalletActionRow, WalletRow } from '../core/storage/rows.ts'
import type { Store } from '../core/storage/store.ts'
import { recordChange } from '../outbox/changes.ts'

/** Deposits, and withdrawals without a payment. Call the writes inside the transaction of the booking. */

type Place = Pick<Log, 'blockNumber' | 'logIndex'>

const idAt = (walletId: string, { blockNumber, logIndex }: Place) => `mov_${walletId}_${blockNumber}_${logIndex}`

/** Records the transfer of a log. Returns the row. */
export function recordMovement(
  ctx: Context,
  wallet: WalletRow,
  log: Place & Pick<Log, 'transactionHash'>,
  { kind, amount, address }: { kind: MovementRow['kind']; amount: number; address: Address },
): MovementRow {
  const action = kind === 'withdrawal' ? withdrawalSigned(ctx.store, wallet, address, amount) : null
  const row: MovementRow = {
    id: idAt(wallet.id, log),
    wallet_id: wallet.id,
    kind,
    origin: action ? 'owner' : 'transfer',
    amount,
    address,
    tx: log.transactionHash,
    at: ctx.now(),
    action_id: action?.id ?? null,
  }
  ctx.store.insert('movement', row)
  recordChange(ctx, row.id)
  return row
}

/** The withdrawal that the owner signed in Bursar and that has no transfer yet. */
const withdrawalSigned = (store: Store, wallet: WalletRow, to: Address, amount: number) =>
  store.first<WalletActionRow>(
    `SELECT * FROM wallet_action WHERE wallet_id = ? AND kind = 'withdraw' AND status IN ('sent','done')
       AND to_address = ? COLLATE NOCASE AND amount = ? AND id NOT IN (SELECT action_id FROM movement WHERE action_id IS NOT NULL)
     ORDER BY created_at LIMIT 1`,
    wallet.id,
    to,
    amount,
  )

/** Adds to the day's row of deposits that are too small for rows of their own. Returns its id. */
export function recordSmallDeposits(ctx: Context, wallet: WalletRow, amount: number): string {
  const id = `mov_${wallet.id}_day${utcDay(ctx.now())}`
  ctx.store.insert(
    'movement',
    { id, wallet_id: wallet.id, kind: 'deposit', origin: 'small', amount, at: ctx.now() },
    'ON CONFLICT DO UPDATE SET amount = amount + excluded.amount',
  )
  recordChange(ctx, id)
  return id
}

/** Takes an amount out of a row, and removes the row with the last of it. */
export function reduceMovement(ctx: Context, id: string, amount: number): void {
  ctx.store.run('DELETE FROM movement WHERE id = ? AND amount <= ?', id, amount)
  ctx.store.run('UPDATE movement SET amount = amount - ? WHERE id = ?', amount, id)
  recordChange(ctx, id)
}

/** The same for the row of a log. */
export const reduceMovementAt = (ctx: Context, wallet: WalletRow, log: Place, amount: number): void =>
  reduceMovement(ctx, idAt(wallet.id, log), amount)

export const findMovement = (store: Store, id: string): MovementRow | null =>
  store.first<MovementRow>('SELECT * FROM movement WHERE id = ?', id)

export function movementView(store: Store, movement: MovementRow): Transaction {
  const wallet = store.wallet(movement.wallet_id)!
  const isDeposit = movement.kind === 'deposit'
  const at = isoOf(movement.at)
  const toAddress = isDeposit ? wallet.address : movement.address
  return {
    id: movement.id,
    category: movement.kind,
    status: 'CONFIRMED',
    amountUsdc: formatColumn(movement.amount),
    createdAt: at,
    agentId: null,
    agent: null,
    contactId: null,
    contact: null,
    toAddress,
    toWallet: store.walletAt(wallet.chain_id, toAddress),
    fromAddress: isDeposit ? movement.address : null,
    origin: movement.origin,
    fromWalletId: wallet.id,
    fromWallet: { name: wallet.name, address: wallet.address },
    fromWalletChain: chainNameOf(wallet.chain_id),
    txHash: movement.tx,
    ...eachNote(() => null),
    errorMessage: null,
    recipientEmail: null,
    recipientPhone: null,
    resource: null,
    validBefore: null,
    served: null,
    escrowId: null,
    policyGroupId: null,
    runId: null,
    approvalId: null,
    refusal: null,
    timeline: { decidedAt: at, signedAt: null, broadcastAt: null, confirmedAt: at },
  }
}
