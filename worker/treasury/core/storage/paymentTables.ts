import { kindNames } from '#domain/kinds/kinds.ts'
import { type ExpiryDays, type PayoutStatus, paymentStatuses } from '#domain/payment.ts'
import { eachNote, filterNames } from '#domain/paymentNotes.ts'
import type { RecipientType } from '#domain/scopes.ts'
import type { Address, Hex } from '../../../chain/types.ts'
import { integer, maybeInteger, maybeOneOf, maybeText, oneOf, type RowOf, table, text } from '../../../durable/table.ts'
import { isRelayed, isSellerSubmitted, isToAddress, isToSeller } from './kindSql.ts'
import { listedAt, statusIn } from './statuses.ts'

/** domain/payment.ts has its states. */
export const payment = table(
  'payment',
  {
    id: text('PRIMARY KEY'),
    kind: oneOf(kindNames),
    wallet_id: text('REFERENCES wallet(id)'),
    group_id: maybeText(),
    agent_id: maybeText(),
    /** Of a payout run: the run, and the number of its row. */
    run_id: maybeText(),
    run_row: maybeInteger(),
    policy_version: maybeInteger(),
    to_type: text<RecipientType>(),
    to_address: maybeText<Address>(),
    contact_id: maybeText(),
    contact_name: maybeText(),
    recipient_email: maybeText(),
    recipient_phone: maybeText(),
    /** Of a purchase: method, origin and path of what is bought. */
    resource: maybeText(),
    /** Of a purchase: the host, which with to_address identifies the seller. */
    seller: maybeText(),
    amount: integer('CHECK (amount > 0)'),
    ...eachNote(() => maybeText()),
    /** Terms of a payout, as requested. */
    expires_in_days: maybeInteger<ExpiryDays>(),
    sender_name: maybeText(),
    status: oneOf(paymentStatuses),
    error_code: maybeText(),
    error_message: maybeText(),
    refusal: maybeText(),
    /** When it was requested. */
    created_at: integer(),
    /** When its amount was reserved; null if it never was. Sums, periods and lists of accepted payments use it. */
    accepted_at: maybeInteger(),
    signed_at: maybeInteger(),
    broadcast_at: maybeInteger(),
    confirmed_at: maybeInteger(),
    /** When the budget got its amount back. */
    released_at: maybeInteger(),
    tx_hash: maybeText<Hex>(),
    give_up_at: integer(),
    /** The intent. A nonce is permanently bound to one recipient and amount. */
    epoch: maybeInteger(),
    sequence: maybeInteger(),
    deadline: maybeInteger(),
    max_deadline: maybeInteger(),
    sig_version: integer('DEFAULT 0'),
    r: maybeText<Hex>(),
    vs: maybeText<Hex>(),
    first_block: maybeInteger(),
    /**
     * EIP-3009 nonce of an imported wallet's payment, and of a purchase until it is proven dead: then its number may be used
     * again. The payment of a smart wallet's purchase has no epoch and no sequence, because they are in the nonce.
     */
    authorization: maybeText<Hex>(),
    /** Gas units paid for each step, null until it is reported: until then its estimate is reserved. */
    gas_send: maybeInteger(),
    gas_announce: maybeInteger(),
    gas_end: maybeInteger(),
    /** Why the contract refuses the newest signature, as the Relayer reported it. The payment is not signed again. */
    revert: maybeText(),
    /** The approval that it waited for, and the grant that it used. */
    approval_id: maybeText(),
    grant_id: maybeText(),
    /** The key of its row in idempotency; null if there is none. */
    request_key: maybeText(),
  },
  {
    // Only an accepted payment holds, or has held, anything.
    constraints:
      "CHECK (accepted_at IS NOT NULL OR status IN ('PENDING_APPROVAL','POLICY_REJECTED','VALIDATION_FAILED','CANCELLED'))",
    // payment_status is not partial: SQLite does not see that one status is part of a list of them.
    // payment_to_address and those after it find repeated payments, without those that were refused or ended: there may be
    // thousands. Not case-sensitive: addresses are stored as they were given.
    // payment_refused: the refusals of an agent, and those that are deleted after 30 days.
    indexes: `
      CREATE UNIQUE INDEX payment_nonce ON payment (wallet_id, epoch, sequence) WHERE sequence IS NOT NULL;
      CREATE UNIQUE INDEX payment_authorization ON payment (wallet_id, authorization) WHERE authorization IS NOT NULL;
      CREATE INDEX payment_status ON payment (status, wallet_id, epoch, sequence);
      CREATE INDEX payment_agent ON payment (agent_id, ${listedAt}, id);
      ${filterNames.map((name) => `CREATE INDEX payment_${name} ON payment (${name}, agent_id, ${listedAt}, id) WHERE ${name} IS NOT NULL;`).join('\n')}
      CREATE INDEX payment_queued ON payment (wallet_id, agent_id, accepted_at, id) WHERE status = 'QUEUED' AND ${isRelayed('kind')};
      CREATE INDEX payment_run ON payment (run_id, status) WHERE run_id IS NOT NULL;
      CREATE INDEX payment_run_open ON payment (run_id) WHERE run_id IS NOT NULL AND status IN ${statusIn.unsettled};
      CREATE INDEX payment_purchase ON payment (wallet_id) WHERE ${isSellerSubmitted('kind')};
      CREATE INDEX payment_open_purchase ON payment (agent_id, seller, to_address, status, kind)
        WHERE ${isSellerSubmitted('kind')} AND status IN ${statusIn.unsettled};
      CREATE INDEX payment_to_address ON payment (to_address COLLATE NOCASE, amount, accepted_at)
        WHERE ${isToAddress('kind')} AND status IN ${statusIn.alive};
      CREATE INDEX payment_seller ON payment (seller, to_address COLLATE NOCASE, amount, accepted_at)
        WHERE ${isToSeller('kind')} AND status IN ${statusIn.alive};
      CREATE INDEX payment_recipient_email ON payment (recipient_email, amount, accepted_at)
        WHERE recipient_email IS NOT NULL AND status IN ${statusIn.alive};
      CREATE INDEX payment_recipient_phone ON payment (recipient_phone, amount, accepted_at)
        WHERE recipient_phone IS NOT NULL AND status IN ${statusIn.alive};
      CREATE INDEX payment_refused ON payment (agent_id, created_at, id) WHERE refusal IS NOT NULL;
      CREATE INDEX payment_refused_at ON payment (created_at) WHERE refusal IS NOT NULL;`,
  },
)
export type PaymentRow = RowOf<typeof payment>

/** domain/payment.ts has its states. Its id is that of its payment. */
const payout = table(
  'payout',
  {
    id: text('PRIMARY KEY REFERENCES payment(id)'),
    wallet_id: text(),
    address: text<Address, string>('COLLATE NOCASE UNIQUE'),
    claim_key: text<Address>(),
    reclaim_key: text<Address>(),
    payer: text<Address>(),
    amount: integer(),
    expiry: integer(),
    payout_hash: text<Hex>(),
    expires_at: integer(),
    sender_name: maybeText(),
    /** The version of the payout secret from which its keys are derived (payments/payouts/keys.ts). */
    secret_version: integer(),
    /** The version of the contracts whose escrow it uses: its wallet's, or for imported wallets the newest of that time. */
    contract_set: integer(),
    status: oneOf<PayoutStatus>(['CREATING', 'CREATED', 'CLAIMING', 'RECLAIMING', 'WITHDRAWN', 'RECLAIMED', 'FAILED']),
    funded: integer('DEFAULT 0'),
    announced: integer('DEFAULT 0'),
    announce_delivered_at: maybeInteger(),
    sealed_token: text(),
    token_hash: text(),
    code_hmac: maybeText(),
    code_version: integer('DEFAULT 1'),
    /** Erased once the message has left and the ten minutes of idempotent replay are over. */
    sealed_code: maybeText(),
    code_until: integer(),
    /** Raised when the sender issues a new code, which resets the attempts. The recipient's renewals keep them. */
    tries_version: integer('DEFAULT 1'),
    code_at: integer(),
    sender_resends: integer('DEFAULT 0'),
    recipient_resends: integer('DEFAULT 0'),
    /** The claim or reclaim in progress. */
    action: maybeOneOf(['claim', 'reclaim']),
    action_to: maybeText<Address>(),
    action_deadline: maybeInteger(),
    action_r: maybeText<Hex>(),
    action_vs: maybeText<Hex>(),
    action_version: integer('DEFAULT 0'),
    action_block: maybeInteger(),
    action_delivered_at: maybeInteger(),
    action_tx: maybeText<Hex>(),
    action_by: maybeOneOf(['recipient', 'sender', 'expiry']),
    done_tx: maybeText<Hex>(),
    done_at: maybeInteger(),
    withdrawn_to: maybeText<Address>(),
    /** The domain of the passkey that opens the address that the newest claim pays to; null if it is an ordinary one. */
    kept_domain: maybeText(),
    /** The block of the reclaim: once it is final, the budget gets the amount back. Null if it has, or without a reclaim. */
    returned_block: maybeInteger(),
    created_at: integer(),
    updated_at: integer(),
    /** Reclaim all: when the reclaim was requested, until it starts. */
    reclaim_asked_at: maybeInteger(),
    /** How many of the recipient's reminders were sent or left out. */
    reminded: integer('DEFAULT 0'),
    /** When an operator took the payout's link down; null if it is up. */
    taken_down_at: maybeInteger(),
    /** When the recipient asked for a receipt; null if nobody has. */
    receipt_at: maybeInteger(),
  },
  {
    indexes: `
      CREATE INDEX payout_status ON payout (status, wallet_id, expires_at);
      CREATE INDEX payout_expiry ON payout (status, expires_at);
      CREATE INDEX payout_reminder ON payout (reminded, expires_at) WHERE status = 'CREATED' AND taken_down_at IS NULL;
      CREATE INDEX payout_code ON payout (code_until) WHERE sealed_code IS NOT NULL;
      CREATE INDEX payout_unannounced ON payout (payout_hash) WHERE announced = 0;
      CREATE INDEX payout_reclaim_asked ON payout (reclaim_asked_at) WHERE reclaim_asked_at IS NOT NULL;
      CREATE INDEX payout_returned ON payout (wallet_id, returned_block) WHERE returned_block IS NOT NULL;`,
  },
)
export type PayoutRow = RowOf<typeof payout>

/** The salt of the payouts' keys, sealed for History. */
const keptSalt = table('kept_salt', { one: integer('PRIMARY KEY CHECK (one = 1)'), sealed_salt: text() })

/** Recipients that were looked up and paid, as "chain id:address". `screened_at`: when an oracle last did not list them. */
const knownRecipient = table(
  'known_recipient',
  { address: text('PRIMARY KEY'), screened_at: maybeInteger() },
  { isWithoutRowid: true },
)

/** Keys of payments are never deleted. */
const idempotency = table(
  'idempotency',
  {
    /** principal|key as sent. */
    key: text('PRIMARY KEY'),
    fingerprint: text(),
    kind: text(),
    ref: text(),
    created_at: integer(),
  },
  { isWithoutRowid: true },
)

export const paymentTables = [payment, payout, keptSalt, knownRecipient, idempotency] as const
