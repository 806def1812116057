-- The limits that wallets have signed for their accounts. Changes of all rows are numbered, so that one that was missed is found.
CREATE TABLE mandates (
  account_id TEXT NOT NULL PRIMARY KEY,
  limits TEXT NOT NULL,
  counter INTEGER NOT NULL,
  frozen_by TEXT NOT NULL,
  changed_at_ms INTEGER NOT NULL,
  change INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX mandates_change ON mandates (change);
