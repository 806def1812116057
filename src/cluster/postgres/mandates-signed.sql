-- When the wallet signed a mandate; a key that tightens it leaves that as it is.
ALTER TABLE prepd_mandates ADD COLUMN signed_at_ms bigint NOT NULL DEFAULT 0;
