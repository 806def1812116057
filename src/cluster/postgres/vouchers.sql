-- Numbers of 256 bits are whole decimals. One row a deposit, whatever became of its voucher.
CREATE TABLE prepd_vouchers (
  deposit_key text PRIMARY KEY,
  source_chain_id bigint NOT NULL,
  source_vault text NOT NULL,
  deposit_id numeric(78, 0) NOT NULL,
  tx_hash text NOT NULL,
  log_index bigint NOT NULL,
  tx_deposits bigint NOT NULL,
  block_number numeric(78, 0) NOT NULL,
  block_hash text NOT NULL,
  depositor text NOT NULL,
  source_token text NOT NULL,
  source_amount numeric(78, 0) NOT NULL,
  recipient text NOT NULL,
  destination_chain_id bigint NOT NULL,
  redeemer text NOT NULL,
  token text NOT NULL,
  amount numeric(78, 0) NOT NULL,
  generation bigint NOT NULL,
  valid_until bigint NOT NULL,
  digest text NOT NULL,
  signature text,
  signer text NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  redeemable_until bigint NOT NULL,
  payable_until bigint,
  hold text,
  released bigint NOT NULL,
  UNIQUE (source_chain_id, tx_hash, log_index)
);
CREATE INDEX prepd_vouchers_by_end ON prepd_vouchers (destination_chain_id, token, redeemable_until);
CREATE INDEX prepd_vouchers_by_age ON prepd_vouchers (created_at);

CREATE TABLE prepd_voucher_audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at_ms bigint NOT NULL,
  event text NOT NULL,
  deposit_key text,
  generation bigint,
  digest text,
  signer text
);
CREATE INDEX prepd_voucher_audit_by_deposit ON prepd_voucher_audit (deposit_key, id);
CREATE INDEX prepd_voucher_audit_switch ON prepd_voucher_audit (id) WHERE event IN ('paused', 'resumed');

CREATE TRIGGER prepd_voucher_audit_keeps_rows BEFORE DELETE OR UPDATE ON prepd_voucher_audit
FOR EACH ROW EXECUTE FUNCTION prepd_keeps_rows();
