import type { ChainId } from '../../../chain/types.ts'
import { integer, maybeInteger, maybeText, type RowOf, table, text } from '../../../durable/table.ts'
import { isSellerSubmitted } from './kindSql.ts'

/** Purchases from x402 sellers (treasury/payments/purchases/). Each is a row of `payment` as well. */
const purchase = table(
  'purchase',
  {
    id: text('PRIMARY KEY REFERENCES payment(id)'),
    /** JSON of a StoredOffer (purchases/offers.ts), without which no payload can be made, until the payment has ended. */
    offer: maybeText(),
    /** JSON of what the agent reported. */
    reply: maybeText(),
  },
  {
    isWithoutRowid: true,
    indexes: `
      CREATE TRIGGER purchase_ended AFTER UPDATE OF status ON payment
        WHEN ${isSellerSubmitted('NEW.kind')} AND NEW.status IN ('FAILED','CANCELLED','POLICY_REJECTED')
        BEGIN UPDATE purchase SET offer = NULL WHERE id = NEW.id; END;
      CREATE TRIGGER purchase_deleted BEFORE DELETE ON payment WHEN ${isSellerSubmitted('OLD.kind')}
        BEGIN DELETE FROM purchase WHERE id = OLD.id; END;`,
  },
)
export type PurchaseRow = RowOf<typeof purchase>

/** The numbers of a session's classes (domain/x402/purchaseClasses.ts). */
const purchaseClass = table(
  'purchase_class',
  {
    wallet_id: text(),
    epoch: integer(),
    class: integer(),
    /** The lowest that was never taken. */
    next_number: integer('DEFAULT 0'),
    /** How many are taken. */
    taken: integer('DEFAULT 0 CHECK (taken >= 0 AND taken <= next_number)'),
    /** How many of these were settled. */
    settled: integer('DEFAULT 0'),
  },
  { constraints: 'PRIMARY KEY (wallet_id, epoch, class)', isWithoutRowid: true },
)
export type PurchaseClassRow = RowOf<typeof purchaseClass>

/** Numbers below next_number that are free again, until another session has finally replaced theirs. */
const freeNumber = table(
  'free_number',
  { wallet_id: text(), epoch: integer(), class: integer(), number: integer() },
  { constraints: 'PRIMARY KEY (wallet_id, epoch, class, number)', isWithoutRowid: true },
)

const seller = table(
  'seller',
  {
    /** "host 0xaddress" in lower case. */
    pair: text(),
    chain_id: integer<ChainId>(),
    /** When the host itself last confirmed that it is paid there; null: never. */
    confirmed_at: maybeInteger(),
    asked_at: integer(),
  },
  {
    constraints: 'PRIMARY KEY (pair, chain_id)',
    isWithoutRowid: true,
    indexes: `
      CREATE INDEX seller_unconfirmed ON seller (asked_at) WHERE confirmed_at IS NULL;
      CREATE INDEX seller_confirmed ON seller (confirmed_at) WHERE confirmed_at IS NOT NULL;`,
  },
)
export type SellerRow = RowOf<typeof seller>

export const purchaseTables = [purchase, purchaseClass, freeNumber, seller] as const
