import { sameEnds } from '#domain/sendRules.ts'
import { integer, maybeText, table, text } from '../../../durable/table.ts'
import { byKind, hasOwnAddress } from './kindSql.ts'
import { statusIn } from './statuses.ts'

/**
 * Who was paid, and how often. Counting payments would read all of a busy recipient's, and searching for look-alikes all
 * whose address begins alike, so a table has one row for each recipient and chain. Triggers keep it, because payments come
 * alive and end in many places.
 */

/** A seller is a host and an address: sellerPair in domain/x402/seller.ts. */
const recipients = {
  address: 'lower(NEW.to_address)',
  seller: "NEW.seller || ' ' || lower(NEW.to_address)",
  emailOrPhone: 'coalesce(NEW.recipient_email, NEW.recipient_phone)',
}
const recipient = byKind('NEW.kind', ({ paidTo }) => recipients[paidTo])
/** The address of a recipient that has one: the text of a seller ends with it. */
export const addressIn = 'substr(recipient, -42)'
/** What is left of an address when it is shortened (domain/sendRules.ts). */
export const look = (address: string) =>
  `lower(substr(${address}, 1, ${2 + sameEnds}) || substr(${address}, -${sameEnds}))`

const add = `
    INSERT INTO paid_recipient (recipient, chain_id, payments, last_at, look)
      SELECT ${recipient}, chain_id, 1, NEW.accepted_at, CASE WHEN ${hasOwnAddress('NEW.kind')} THEN ${look('NEW.to_address')} END
      FROM wallet WHERE id = NEW.wallet_id AND ${recipient} IS NOT NULL
      ON CONFLICT (recipient, chain_id) DO UPDATE SET payments = payments + 1, last_at = max(last_at, excluded.last_at);`
const row = `recipient = ${recipient} AND chain_id = (SELECT chain_id FROM wallet WHERE id = NEW.wallet_id)`
const remove = `
    DELETE FROM paid_recipient WHERE ${row} AND payments = 1;
    UPDATE paid_recipient SET payments = payments - 1 WHERE ${row};`

export const paidRecipient = table(
  'paid_recipient',
  {
    /** Address in lower case, email, phone, or a seller, of payments that moved their amount or still may (statuses.ts). */
    recipient: text(),
    chain_id: integer(),
    payments: integer('CHECK (payments > 0)'),
    /** When the newest was accepted, even if that one failed since. */
    last_at: integer(),
    /** Of addresses, their ends. */
    look: maybeText(),
  },
  {
    constraints: 'PRIMARY KEY (recipient, chain_id)',
    isWithoutRowid: true,
    // paid_recipient_look: with the address, because any number of sellers may be paid at one.
    indexes: `
      CREATE INDEX paid_recipient_look ON paid_recipient (look, ${addressIn}) WHERE look IS NOT NULL;
      CREATE TRIGGER payment_paid AFTER INSERT ON payment WHEN NEW.status IN ${statusIn.alive} BEGIN ${add}
      END;
      CREATE TRIGGER payment_revived AFTER UPDATE OF status ON payment
        WHEN NEW.status IN ${statusIn.alive} AND OLD.status NOT IN ${statusIn.alive} BEGIN ${add}
      END;
      CREATE TRIGGER payment_ended AFTER UPDATE OF status ON payment
        WHEN OLD.status IN ${statusIn.alive} AND NEW.status NOT IN ${statusIn.alive} BEGIN ${remove}
      END;`,
  },
)
