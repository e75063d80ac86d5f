/** The part of tables.ts about purchases from x402 sellers (treasury/purchases/). A purchase is a row of `payment` as well. */
export const purchaseTables = `
  -- What a seller asked for and answered: the payment's offer (JSON), without which no payload can be made, until the payment
  -- has ended; and its reply (JSON).
  CREATE TABLE purchase (id TEXT PRIMARY KEY REFERENCES payment(id), offer TEXT, reply TEXT) WITHOUT ROWID;
  CREATE TRIGGER purchase_ended AFTER UPDATE OF status ON payment
    WHEN NEW.kind = 'x402' AND NEW.status IN ('FAILED','CANCELLED','POLICY_REJECTED')
    BEGIN UPDATE purchase SET offer = NULL WHERE id = NEW.id; END;
  CREATE TRIGGER purchase_deleted BEFORE DELETE ON payment WHEN OLD.kind = 'x402'
    BEGIN DELETE FROM purchase WHERE id = OLD.id; END;
  -- The numbers of a session's classes (domain/x402/purchaseClasses.ts): the lowest that was never taken, how many are taken, how
  -- many of these were settled, and those below next_number that are free again, until another session has finally replaced it.
  CREATE TABLE purchase_class (
    wallet_id TEXT NOT NULL, epoch INTEGER NOT NULL, class INTEGER NOT NULL, next_number INTEGER NOT NULL DEFAULT 0,
    taken INTEGER NOT NULL DEFAULT 0 CHECK (taken >= 0 AND taken <= next_number),
    settled INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (wallet_id, epoch, class)
  ) WITHOUT ROWID;
  CREATE TABLE free_number (
    wallet_id TEXT NOT NULL, epoch INTEGER NOT NULL, class INTEGER NOT NULL, number INTEGER NOT NULL,
    PRIMARY KEY (wallet_id, epoch, class, number)
  ) WITHOUT ROWID;
  -- Pairs of host and address, as "host 0xaddress" in lower case: when the host itself last confirmed that it is paid there
  -- (null: never), and when it was last asked.
  CREATE TABLE seller (
    pair TEXT NOT NULL, chain_id INTEGER NOT NULL, confirmed_at INTEGER, asked_at INTEGER NOT NULL,
    PRIMARY KEY (pair, chain_id)
  ) WITHOUT ROWID;
  CREATE INDEX seller_unconfirmed ON seller (asked_at) WHERE confirmed_at IS NULL;
  CREATE INDEX seller_confirmed ON seller (confirmed_at) WHERE confirmed_at IS NOT NULL;
`
