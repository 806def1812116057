-- Numbers of 256 bits are decimal text. One row a deposit, whatever became of its voucher.
CREATE TABLE vouchers (
  deposit_key TEXT PRIMARY KEY,
  source_chain_id INTEGER NOT NULL,
  source_vault TEXT NOT NULL,
  deposit_id TEXT NOT NULL,
  tx_hash TEXT NOT NULL,
  log_index INTEGER NOT NULL,
  tx_deposits INTEGER NOT NULL,
  block_number TEXT NOT NULL,
  block_hash TEXT NOT NULL,
  depositor TEXT NOT NULL,
  source_token TEXT NOT NULL,
  source_amount TEXT NOT NULL,
  recipient TEXT NOT NULL,
  destination_chain_id INTEGER NOT NULL,
  redeemer TEXT NOT NULL,
  token TEXT NOT NULL,
  amount TEXT NOT NULL,
  generation INTEGER NOT NULL,
  valid_until INTEGER NOT NULL,
  digest TEXT NOT NULL,
  signature TEXT,
  signer TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  frozen INTEGER NOT NULL DEFAULT 0,
  UNIQUE (source_chain_id, tx_hash, log_index)
) STRICT, WITHOUT ROWID;

CREATE INDEX vouchers_by_payment ON vouchers (destination_chain_id, token, created_at);
CREATE INDEX vouchers_by_age ON vouchers (created_at);

CREATE TABLE voucher_audit (
  id INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  event TEXT NOT NULL,
  deposit_key TEXT,
  generation INTEGER,
  digest TEXT,
  signer TEXT
) STRICT;

CREATE INDEX voucher_audit_by_deposit ON voucher_audit (deposit_key, id);
CREATE INDEX voucher_audit_switch ON voucher_audit (id) WHERE event IN ('paused', 'resumed');

CREATE TRIGGER voucher_audit_keeps_rows BEFORE DELETE ON voucher_audit
BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END;

CREATE TRIGGER voucher_audit_keeps_words BEFORE UPDATE ON voucher_audit
BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END;
