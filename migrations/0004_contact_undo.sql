-- A deleted contact is kept for ten minutes (ms since then in deleted_at), so that it can be undone; then erased by cron.
ALTER TABLE contact ADD COLUMN deleted_at INTEGER;
CREATE INDEX contact_deleted_idx ON contact (deleted_at) WHERE deleted_at IS NOT NULL;
