import { sameEnds } from '#domain/sendRules.ts'
import { checksumAddress } from '#domain/validators.ts'
import { sellerPair } from '#domain/x402/seller.ts'
import { statusIn } from './statuses.ts'
import type { Store } from './store.ts'

/**
 * Who was paid, and how often. Counting payments would read all of a busy recipient's, and searching for look-alikes all
 * whose address begins alike, so a table has one row for each recipient and chain. Triggers keep it, because payments come
 * alive and end in many places.
 */

/** A seller is a host and an address: sellerPair in domain/x402/seller.ts. */
const recipient = `CASE NEW.kind WHEN 'send' THEN lower(NEW.to_address) WHEN 'x402' THEN NEW.seller || ' ' || lower(NEW.to_address) ELSE coalesce(NEW.recipient_email, NEW.recipient_phone) END`
/** The address of a recipient that has one: the text of a seller ends with it. */
const addressIn = 'substr(recipient, -42)'
/** What is left of an address when it is shortened (domain/sendRules.ts). */
const look = (address: string) => `lower(substr(${address}, 1, ${2 + sameEnds}) || substr(${address}, -${sameEnds}))`

const add = `
    INSERT INTO paid_recipient (recipient, chain_id, payments, last_at, look)
      SELECT ${recipient}, chain_id, 1, NEW.accepted_at, CASE WHEN NEW.kind <> 'payout' THEN ${look('NEW.to_address')} END
      FROM wallet WHERE id = NEW.wallet_id AND ${recipient} IS NOT NULL
      ON CONFLICT (recipient, chain_id) DO UPDATE SET payments = payments + 1, last_at = max(last_at, excluded.last_at);`
const row = `recipient = ${recipient} AND chain_id = (SELECT chain_id FROM wallet WHERE id = NEW.wallet_id)`
const remove = `
    DELETE FROM paid_recipient WHERE ${row} AND payments = 1;
    UPDATE paid_recipient SET payments = payments - 1 WHERE ${row};`

export const paidRecipientTable = `
  -- Recipients (address in lower case, email, phone, or a seller) of payments that moved their amount or still may (statuses.ts), and
  -- how many. last_at: when the newest was accepted, even if that one failed since. look: of addresses, their ends.
  CREATE TABLE paid_recipient (
    recipient TEXT NOT NULL, chain_id INTEGER NOT NULL, payments INTEGER NOT NULL CHECK (payments > 0),
    last_at INTEGER NOT NULL, look TEXT, PRIMARY KEY (recipient, chain_id)
  ) WITHOUT ROWID;
  -- With the address, because any number of sellers may be paid at one.
  CREATE INDEX paid_recipient_look ON paid_recipient (look, ${addressIn}) WHERE look IS NOT NULL;
  CREATE TRIGGER payment_paid AFTER INSERT ON payment WHEN NEW.status IN ${statusIn.alive} BEGIN ${add}
  END;
  CREATE TRIGGER payment_revived AFTER UPDATE OF status ON payment
    WHEN NEW.status IN ${statusIn.alive} AND OLD.status NOT IN ${statusIn.alive} BEGIN ${add}
  END;
  CREATE TRIGGER payment_ended AFTER UPDATE OF status ON payment
    WHEN OLD.status IN ${statusIn.alive} AND NEW.status NOT IN ${statusIn.alive} BEGIN ${remove}
  END;
`

/**
 * Where money goes: exactly one is set, and for a purchase the host as well. A payout's address does not identify its
 * recipient.
 */
export type PaidTo = { address: string | null; email: string | null; phone: string | null; seller: string | null }

/** The recipient as text, as in `paid_recipient`. */
export const recipientText = ({ address, email, phone, seller }: PaidTo): string | null =>
  seller !== null && address !== null ? sellerPair(seller, address) : (address?.toLowerCase() ?? email ?? phone)

/** The recipient's payments on a chain, or on all of them if `chainId` is null. */
export const paymentsTo = (store: Store, to: PaidTo, chainId: number | null) =>
  store.first<{ payments: number; last_at: number | null }>(
    `SELECT coalesce(sum(payments), 0) AS payments, max(last_at) AS last_at FROM paid_recipient
     WHERE recipient = ?1 AND (?2 IS NULL OR chain_id = ?2)`,
    recipientText(to),
    chainId,
  )!

/** Another paid address that looks like this one when both are shortened, with its checksum; null if there is none. */
export function lookAlikeOf(store: Store, address: string): string | null {
  const other = (than: '<' | '>') =>
    `(SELECT ${addressIn} FROM paid_recipient WHERE look = ${look('?1')} AND ${addressIn} ${than} lower(?1) LIMIT 1)`
  const { found } = store.first<{ found: string | null }>(
    `SELECT coalesce(${other('<')}, ${other('>')}) AS found`,
    address,
  )!
  return found && checksumAddress(found)
}
