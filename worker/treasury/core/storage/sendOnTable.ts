import type { SendOnState } from '#schemas/sendOn.ts'
import type { Address, ChainId, Hex } from '../../../chain/types.ts'
import { integer, maybeInteger, maybeText, oneOf, type RowOf, table, text } from '../../../durable/table.ts'

/**
 * Transfers by which recipients send on what they keep: authorizations of USDC that they signed. They are no payments of this
 * account, and no ledger knows them.
 */
export const sendOn = table(
  'send_on',
  {
    payout_id: text('REFERENCES payout(id)'),
    nonce: text<Hex>(),
    chain_id: integer<ChainId>(),
    /** The account that signed, to which the payout was withdrawn. */
    from_address: text<Address, string>('COLLATE NOCASE'),
    to_address: text<Address>(),
    amount: integer(),
    /** Unix seconds, exclusive. */
    valid_before: integer(),
    status: oneOf<SendOnState>(['PROCESSING', 'CONFIRMED', 'FAILED']),
    /** The signature, while it may have to be delivered: until the transfer, or that it is dead, is final. */
    r: maybeText<Hex>(),
    vs: maybeText<Hex>(),
    created_at: integer(),
    /** The newest block when it was accepted. It is used in a later one. */
    first_block: integer(),
    tx_hash: maybeText<Hex>(),
    /** The block of the transfer. */
    block: maybeInteger(),
  },
  {
    constraints: 'PRIMARY KEY (payout_id, nonce)',
    isWithoutRowid: true,
    indexes: `
      CREATE INDEX send_on_open ON send_on (chain_id, status) WHERE r IS NOT NULL;
      CREATE INDEX send_on_day ON send_on (from_address, created_at);`,
  },
)
export type SendOnRow = RowOf<typeof sendOn>
