import type { OwnerActionKind, WarnDays } from '#domain/sessionKey.ts'
import { haltKinds } from '#domain/walletHalt.ts'
import type { Address, ChainId, Hex } from '../../../chain/types.ts'
import { integer, maybeInteger, maybeOneOf, maybeText, oneOf, type RowOf, table, text } from '../../../durable/table.ts'
import { isOpenAction } from './statuses.ts'

const wallet = table(
  'wallet',
  {
    id: text('PRIMARY KEY'),
    chain_id: integer<ChainId>(),
    kind: oneOf(['smart', 'imported']),
    address: text<Address>(),
    owner: text<Address>(),
    name: maybeText(),
    status: oneOf(['deploying', 'active', 'failed', 'deleted']),
    factory: text<Address>(),
    salt: text<Hex>(),
    /** The version of the contracts (contracts.ts). */
    contract_set: integer('DEFAULT 1'),
    /** The first session, which the address commits to. */
    session_key: text<Address>(),
    sealed_key: text(),
    session_limit: integer(),
    valid_until: integer(),
    /** Whole USDC of session_limit, for purchases. */
    purchase_allowance: integer('DEFAULT 0'),
    deploy_tx: maybeText<Hex>(),
    error: maybeText(),
    /** The ledger (invariant I1): deposits + returns = available + held + out + withdrawn. */
    deposits: integer('DEFAULT 0'),
    returns: integer('DEFAULT 0'),
    out: integer('DEFAULT 0'),
    withdrawn: integer('DEFAULT 0'),
    held: integer('DEFAULT 0 CHECK (held >= 0)'),
    /** Every log up to and including this block is in the ledger. */
    scanned_block: integer(),
    /** The block whose hash shows whether the chain is still the one that was booked. Null until the next reading. */
    anchor_block: maybeInteger(),
    anchor_hash: maybeText<Hex>(),
    /** Everything up to here is final. */
    final_block: integer('DEFAULT 0'),
    /** The block at which the wallet was found deployed: from there on only a reorganization can make it missing. */
    active_block: maybeInteger(),
    /** Where the ledger begins, and the balance there. History keeps both, so that a restored object can add the wallet again. */
    start_block: integer('DEFAULT 0'),
    start_balance: integer('DEFAULT 0'),
    paused: integer('DEFAULT 0'),
    /** Why nothing is signed for it, with details for operators. */
    halt_kind: maybeOneOf(haltKinds),
    halt_detail: maybeText(),
    /** Since when the books do not explain the balance, as last read and at a final block. */
    mismatch_since: maybeInteger(),
    final_mismatch_since: maybeInteger(),
    /** When everything that is not final was read again for it. */
    reread_at: maybeInteger(),
    /** The booked block that the node contradicts, and since when. */
    suspect_block: maybeInteger(),
    suspect_since: maybeInteger(),
    created_at: integer(),
    /** The key of its row in idempotency; null if there is none. */
    request_key: maybeText(),
  },
  {
    // One address may be on both chains, and may be added again after it was deleted.
    indexes: `CREATE UNIQUE INDEX wallet_address ON wallet (chain_id, address) WHERE status <> 'deleted';`,
  },
)
export type WalletRow = RowOf<typeof wallet>

/** Readings of wallets while they are idle (wallets/idleReads.ts). */
const idleWallet = table(
  'idle_wallet',
  {
    wallet_id: text('PRIMARY KEY'),
    /** When it was last used or looked at. */
    active_at: integer(),
    next_read_at: integer(),
    /** Its digest when logs were last read (look.ts); null if they must be read again. */
    state: maybeText(),
    /** JSON of a smart wallet's whole state then, with its block. */
    whole_state: maybeText(),
    logs_read_at: integer(),
    /** The shard of Watch that has it. */
    watch_shard: integer('DEFAULT 0'),
  },
  { isWithoutRowid: true },
)
export type IdleRow = RowOf<typeof idleWallet>

const session = table(
  'session',
  {
    wallet_id: text('REFERENCES wallet(id)'),
    epoch: integer(),
    key_address: text<Address>(),
    sealed_key: text(),
    /** The part of the limit that purchases may use, in whole USDC. */
    purchase_allowance: integer('DEFAULT 0'),
    /** The part of the limit that sends may use; `used` and `held` are of it. */
    spend_limit: integer(),
    used: integer('DEFAULT 0'),
    held: integer('DEFAULT 0 CHECK (held >= 0)'),
    valid_until: integer(),
    next_sequence: integer('DEFAULT 0'),
    current: integer(),
    /** The block at which the session was adopted; null if final. */
    adopted_block: maybeInteger(),
    /** A reorganization removed it; its nonces stay used. */
    undone: integer('DEFAULT 0'),
    adopted_at: integer('DEFAULT 0'),
    /** How many days before its end the owner was last warned. */
    warned_days: maybeInteger<WarnDays>(),
    /** Why its purchase allowance could not be renewed, as the owner was told. Null: the owner was not told. */
    refill_refused: maybeText(),
  },
  { constraints: 'PRIMARY KEY (wallet_id, epoch)' },
)
export type SessionRow = RowOf<typeof session>

/** For viewing an imported key. The copy that signs is the session's. */
const importedKey = table('imported_key', {
  wallet_id: text('PRIMARY KEY REFERENCES wallet(id)'),
  /** Sealed under the master password, then under the key-encryption key. */
  sealed_view: text(),
  /** USDC's as the contract had it at import, compared to one computed here. */
  domain_separator: text<Hex>(),
  /** Wrong master passwords since the last correct one or the last lock. */
  tries: integer('DEFAULT 0'),
  locked_until: integer('DEFAULT 0'),
})
export type ImportedKeyRow = RowOf<typeof importedKey>

/** Changes of a wallet itself; wallets/actions/actions.ts has their states. Keys stay: the wallet may show one at any later time. */
const walletAction = table(
  'wallet_action',
  {
    id: text('PRIMARY KEY'),
    wallet_id: text('REFERENCES wallet(id)'),
    kind: oneOf<'rotate' | OwnerActionKind>(['rotate', 'setSession', 'revokeSession', 'disableRotation', 'withdraw']),
    status: oneOf(['offered', 'draining', 'sent', 'done', 'failed']),
    key_address: maybeText<Address>(),
    sealed_key: maybeText(),
    spend_limit: maybeInteger(),
    ttl_hours: maybeInteger(),
    valid_until: maybeInteger(),
    /**
     * Whole USDC of spend_limit, for purchases. A rotation without spend_limit and ttl_hours renews this allowance, and changes
     * nothing else (purchases/refill.ts).
     */
    purchase_allowance: maybeInteger(),
    /** The session being replaced. */
    epoch: maybeInteger(),
    /** uint256 in decimal. */
    owner_nonce: maybeText(),
    to_address: maybeText<Address>(),
    amount: maybeInteger(),
    deadline: maybeInteger(),
    data: maybeText<Hex>(),
    first_block: maybeInteger(),
    drain_until: maybeInteger(),
    tx_hash: maybeText<Hex>(),
    error: maybeText(),
    created_at: integer(),
    ended_at: maybeInteger(),
    /** The block at which the chain showed the action as done. */
    done_block: maybeInteger(),
  },
  {
    // A wallet has thousands of actions that have ended, because its purchase allowance is renewed up to 12 times a day. One new
    // session at a time.
    indexes: `
      CREATE INDEX wallet_action_wallet ON wallet_action (wallet_id, created_at);
      CREATE INDEX wallet_action_open ON wallet_action (wallet_id, created_at) WHERE ${isOpenAction};
      CREATE INDEX wallet_action_ended ON wallet_action (wallet_id, ended_at) WHERE ended_at IS NOT NULL;
      CREATE INDEX wallet_action_allowance ON wallet_action (wallet_id) WHERE purchase_allowance > 0;
      CREATE UNIQUE INDEX wallet_action_session ON wallet_action (wallet_id)
        WHERE kind IN ('rotate','setSession') AND ${isOpenAction};`,
  },
)
export type WalletActionRow = RowOf<typeof walletAction>

export const walletTables = [wallet, idleWallet, session, importedKey, walletAction] as const
