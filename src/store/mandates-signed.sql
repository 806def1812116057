-- When the wallet signed a mandate; a key that tightens it leaves that as it is.
ALTER TABLE mandates ADD COLUMN signed_at_ms INTEGER NOT NULL DEFAULT 0;
