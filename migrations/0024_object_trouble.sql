-- What is wrong inside an object, for alerts: written by the object when it changes, so that nobody has to wake all of them.
-- A report counts only if its edition is higher than the stored one. detail: null once it is over. Times in ms.
CREATE TABLE object_trouble (
  kind TEXT NOT NULL CHECK (kind IN ('wallet_halted', 'account_size', 'alarm_lost')),
  subject TEXT NOT NULL,
  user_id TEXT,
  edition INTEGER NOT NULL,
  since INTEGER NOT NULL,
  detail TEXT,
  PRIMARY KEY (kind, subject)
);
