/** Rows of the Treasury's tables, for states that are tedious to reach. A test names only the columns that it is about. */
import { emptyColumns } from '../../worker/treasury/core/storage/newPayment.ts'
import type { PaymentRow } from '../../worker/treasury/core/storage/rows.ts'
import type { NewRow } from '../../worker/treasury/core/storage/tableRows.ts'
import { addressOf } from './build.ts'

type Row<Table extends 'payout' | 'policy_group' | 'agent'> = Partial<NewRow<Table>> & { id: string }

/** A confirmed send of 1 USDC by the user, accepted at 0 ms. */
export const paymentRow = (over: Partial<PaymentRow> & { id: string }): PaymentRow => ({
  ...emptyColumns,
  kind: 'send',
  wallet_id: 'wal',
  to_type: 'address',
  amount: 1_000_000,
  status: 'CONFIRMED',
  created_at: 0,
  accepted_at: 0,
  ...over,
})

let made = 0

/** A payout of 1 USDC that can be claimed. Insert its payment first. */
export const payoutRow = (over: Row<'payout'>): NewRow<'payout'> => ({
  wallet_id: 'wal',
  address: addressOf(0x2000 + ++made),
  claim_key: addressOf(1),
  reclaim_key: addressOf(1),
  payer: addressOf(1),
  amount: 1_000_000,
  expiry: 0,
  payout_hash: '0x',
  expires_at: 0,
  status: 'CREATED',
  sealed_token: '',
  token_hash: '',
  code_until: 0,
  code_at: 0,
  created_at: 0,
  updated_at: 0,
  secret_version: 1,
  contract_set: 1,
  ...over,
})

export const groupRow = (over: Row<'policy_group'>): NewRow<'policy_group'> => ({
  wallet_id: 'wal',
  name: over.id,
  scopes: '[]',
  created_at: 0,
  ...over,
})

export const agentRow = (over: Row<'agent'> & { group_id: string }): NewRow<'agent'> => ({
  name: over.id,
  client_id: `bc_${over.id}`,
  created_at: 0,
  ...over,
})
