-- How often a refresh token was exchanged, and the token that it was exchanged for.
ALTER TABLE refresh_token ADD COLUMN successors INTEGER NOT NULL DEFAULT 0;
ALTER TABLE refresh_token ADD COLUMN parent_hash TEXT;
UPDATE refresh_token SET successors = 1 WHERE replaced_at IS NOT NULL;
