-- Conditions that operators are told about: one alert when one starts, one when it ends. Times in ms.
CREATE TABLE alert (
  key TEXT PRIMARY KEY,
  text TEXT NOT NULL,
  since INTEGER NOT NULL,
  announced_at INTEGER
);
-- Channels whose provider refused a message and has not taken one since.
CREATE TABLE message_failure (
  channel TEXT PRIMARY KEY CHECK (channel IN ('email', 'sms')),
  since INTEGER NOT NULL,
  last_at INTEGER NOT NULL
);
