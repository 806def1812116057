-- Writes that go only with the approval of the owner of their account, and what the owner decided.
CREATE TABLE prepd_approvals (
  id text NOT NULL PRIMARY KEY,
  account_id text NOT NULL,
  digest text NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  body text NOT NULL,
  words text NOT NULL,
  cost_usdc text,
  worst_usdc text,
  asked_at_ms bigint NOT NULL,
  decide_until_ms bigint NOT NULL,
  state text NOT NULL,
  decided_at_ms bigint,
  signature text
);
CREATE INDEX prepd_approvals_account ON prepd_approvals (account_id, asked_at_ms);
CREATE INDEX prepd_approvals_asked ON prepd_approvals (asked_at_ms);
