-- Writes that go only with the approval of the owner of their account, and what the owner decided.
CREATE TABLE approvals (
  id TEXT NOT NULL PRIMARY KEY,
  account_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  body TEXT NOT NULL,
  words TEXT NOT NULL,
  cost_usdc TEXT,
  worst_usdc TEXT,
  asked_at_ms INTEGER NOT NULL,
  decide_until_ms INTEGER NOT NULL,
  state TEXT NOT NULL,
  decided_at_ms INTEGER,
  signature TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX approvals_account ON approvals (account_id, asked_at_ms);
CREATE INDEX approvals_asked ON approvals (asked_at_ms);
