/** Inputs of the Treasury, complete and valid. A test names only the fields that it is about. */
import { type MicroUsdc, parseUsdc } from '#domain/money.ts'
import { eachNote } from '#domain/paymentNotes.ts'
import type { PaymentTerms } from '#schemas/paymentTerms.ts'
import type { Address } from '../../worker/chain/types.ts'
import type { Principal } from '../../worker/treasury/core/rpcTypes.ts'
import type { Gathered } from '../../worker/treasury/payments/needs.ts'
import type { PayoutDraft } from '../../worker/treasury/payments/payouts/draft.ts'
import type { PayInput } from '../../worker/treasury/payments/rpcTypes.ts'
import type { AgentInput, GroupEdit, GroupInput } from '../../worker/treasury/policies/rpcTypes.ts'

/** `'12.5'` → 12_500_000n. Throws if the text is not an amount. */
export function usdc(text: string): MicroUsdc {
  const amount = parseUsdc(text)
  if (amount === null) throw new Error(`not an amount: ${text}`)
  return amount
}

export const addressOf = (n: number): Address => `0x8${n.toString(16).padStart(39, '9')}`
export const toAddress = (n: number) => ({ type: 'address', address: addressOf(n) }) as const
export const toEmail = (email = 'ada@example.com') => ({ type: 'email', email }) as const

/** The signed-in user. */
export const owner = { type: 'user' } as const satisfies Principal
/** The agent that `agentInput` creates. */
export const agentPrincipal = (agentId: string) =>
  ({ type: 'agent', agentId, credentialHash: `k${agentId}`, via: 'api' }) as const satisfies Principal

let made = 0

/** The fields of a payment, its terms among them. */
export type PayFields = Partial<Omit<PayInput, 'terms'> & PaymentTerms>

/** 1 USDC with a new idempotency key. Agents pay from their group's wallet, the user from the wallet `wal`. */
export function payInput(over: PayFields = {}): PayInput {
  const { principal = owner, key = `key-${++made}`, reason, contact, ...terms } = over
  const wallet = principal.type === 'agent' ? null : 'wal'
  return { principal, key, terms: paymentTerms({ wallet, ...terms }), reason: reason ?? null, contact: contact ?? null }
}

export const paymentTerms = (over: Partial<PaymentTerms> = {}): PaymentTerms => ({
  wallet: null,
  to: toAddress(1),
  amount: usdc('1'),
  ...eachNote(() => null),
  expiresInDays: null,
  senderName: null,
  ...over,
})

/** What is gathered before a payment whose recipient may be paid. */
export const gatheredFor = ({ terms: { to, amount } }: PayInput, over: Partial<Gathered> = {}): Gathered => ({
  draft: to.type === 'email' || to.type === 'phone' ? payoutDraft({ amount: Number(amount) }) : null,
  lookup: to.type === 'address' ? { address: to.address, found: 'clear' } : null,
  refresh: 'done',
  grants: {},
  ...over,
})

export function payoutDraft(over: Partial<PayoutDraft> = {}): PayoutDraft {
  const address = addressOf(0x1000 + ++made)
  return {
    id: `pay_draft${made}`,
    address,
    claim_key: address,
    reclaim_key: address,
    payer: address,
    amount: 1_000_000,
    expiry: 1,
    payout_hash: '0x',
    expires_at: 1,
    token_hash: `${made}`,
    sealed_token: '',
    secret_version: 1,
    contract_set: 1,
    ...over,
  }
}

export const allScopes = [
  'address_payments:write',
  'email_payments:write',
  'sms_payments:write',
  'contact_payments:write',
]

/** A group of the wallet `wal` that may pay anybody without limit. */
export const groupInput = (over: Partial<GroupInput> = {}): GroupInput => ({
  key: null,
  name: 'Group',
  spendLimit: null,
  scopes: allScopes,
  walletId: 'wal',
  contacts: [],
  ...over,
})

/** Gives the group this name and these scopes, and leaves the rest unchanged. */
export const groupEdit = (over: Partial<GroupEdit> = {}): GroupEdit => ({
  version: undefined,
  name: 'Group',
  scopes: allScopes,
  walletId: undefined,
  spendLimit: undefined,
  contactIds: undefined,
  contacts: [],
  limits: {},
  ...over,
})

export const agentInput = (over: Pick<AgentInput, 'id' | 'policyGroupId'> & Partial<AgentInput>): AgentInput => ({
  key: null,
  name: over.id,
  memo: null,
  clientId: `bc_${over.id}`,
  secretHash: `s${over.id}`,
  apiKeyHash: `k${over.id}`,
  ...over,
})
