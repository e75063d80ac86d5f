-- What a user arranged for themselves: the layout of the overview.
CREATE TABLE preferences (
  user_id TEXT PRIMARY KEY REFERENCES user(id) ON DELETE CASCADE,
  body TEXT NOT NULL CHECK (length(body) <= 65536),
  updated_at INTEGER NOT NULL
);
