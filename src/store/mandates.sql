-- The limits that wallets have signed for their accounts. The change is another after each of them.
CREATE TABLE mandates (
  account_id TEXT NOT NULL PRIMARY KEY,
  limits TEXT NOT NULL,
  counter INTEGER NOT NULL,
  frozen_by TEXT NOT NULL,
  changed_at_ms INTEGER NOT NULL,
  change INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
