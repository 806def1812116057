-- Additive only: an earlier prepd goes on beside a later one.
CREATE TABLE prepd_lineage (
  id int PRIMARY KEY CHECK (id = 0),
  -- The history of commits that was last written to, and when it was found to be another than before.
  lineage text NOT NULL,
  lost_at timestamptz NOT NULL
);

CREATE TABLE prepd_claims (
  identity text PRIMARY KEY,
  -- Whose claim it is: random, and known to who made it alone.
  attempt text NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX prepd_claims_by_expiry ON prepd_claims (expires_at);

CREATE TABLE prepd_nonces (
  nonce text PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
CREATE INDEX prepd_nonces_by_expiry ON prepd_nonces (expires_at);

CREATE TABLE prepd_proofs (
  account_id text NOT NULL,
  public_key text NOT NULL,
  proven_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, public_key)
);

CREATE TABLE prepd_controls (
  kind text NOT NULL,
  key text NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (kind, key)
);

CREATE TABLE prepd_operator_audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at_ms bigint NOT NULL,
  act text NOT NULL,
  fields text NOT NULL,
  fingerprint text NOT NULL
);

CREATE FUNCTION prepd_keeps_rows() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'the audit is only ever added to'; END $$;

CREATE TRIGGER prepd_operator_audit_keeps_rows BEFORE DELETE OR UPDATE ON prepd_operator_audit
FOR EACH ROW EXECUTE FUNCTION prepd_keeps_rows();
