-- The instances that sign vouchers, by the addresses of their keys, and when each was last seen.
CREATE TABLE prepd_voucher_signers (
  instance text PRIMARY KEY,
  signer text NOT NULL,
  accepted text[] NOT NULL,
  seen_at timestamptz NOT NULL
);
