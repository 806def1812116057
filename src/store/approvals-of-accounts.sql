-- Whether an account may ask for one more approval is read from this index alone, without the bodies.
DROP INDEX approvals_account;
CREATE INDEX approvals_account ON approvals
  (account_id, state, asked_at_ms, digest, decide_until_ms, decided_at_ms, id);
