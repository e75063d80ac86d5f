-- When the watchdog last poked it (ms): the one that has waited longest is next, whatever comes of a poke.
ALTER TABLE busy_treasury ADD COLUMN poked_at INTEGER NOT NULL DEFAULT 0;
