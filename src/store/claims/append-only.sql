-- Claims in the order they were made, so that each touches the last page alone; whether one is there is known in memory.
-- A row carries the number of the commit that made it, which then needs no row of its own. Given back: expires_at_ms is 0.
ALTER TABLE claims RENAME TO claims_by_identity;
DROP INDEX claims_by_expiry;

CREATE TABLE claims (
  id INTEGER PRIMARY KEY,
  identity TEXT NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  sequence INTEGER NOT NULL
) STRICT;

INSERT INTO claims (identity, expires_at_ms, sequence)
  SELECT identity, expires_at_ms, 0 FROM claims_by_identity ORDER BY expires_at_ms;

DROP TABLE claims_by_identity;
