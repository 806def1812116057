-- Whether an account may ask for one more approval is read from this index alone, without the bodies.
CREATE INDEX prepd_approvals_of_accounts ON prepd_approvals
  (account_id, state, asked_at_ms, digest, decide_until_ms, decided_at_ms, id);
DROP INDEX prepd_approvals_account;
