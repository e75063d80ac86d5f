-- When the password was chosen (ms); 0: before this was kept.
ALTER TABLE user ADD COLUMN password_at INTEGER NOT NULL DEFAULT 0;

-- Accounts of which the Treasury and the bucket do not have the newest state yet: the cron brings it there. version rises
-- with each change.
CREATE TABLE account_to_keep (
  user_id TEXT PRIMARY KEY,
  version INTEGER NOT NULL
);
CREATE TRIGGER user_created_keep AFTER INSERT ON user WHEN new.status <> 'UNCONFIRMED' BEGIN
  INSERT INTO account_to_keep (user_id, version) VALUES (new.id, 1) ON CONFLICT (user_id) DO UPDATE SET version = version + 1;
END;
CREATE TRIGGER user_changed_keep AFTER UPDATE OF email, name, status, temporary_since, public_address, password_at ON user
WHEN new.status <> 'UNCONFIRMED' BEGIN
  INSERT INTO account_to_keep (user_id, version) VALUES (new.id, 1) ON CONFLICT (user_id) DO UPDATE SET version = version + 1;
END;
-- Those that exist already.
INSERT INTO account_to_keep (user_id, version) SELECT id, 1 FROM user WHERE status <> 'UNCONFIRMED';
