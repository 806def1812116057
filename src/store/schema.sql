CREATE TABLE nonces (
  nonce TEXT PRIMARY KEY,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX nonces_by_expiry ON nonces (expires_at_ms);

CREATE TABLE claims (
  identity TEXT PRIMARY KEY,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX claims_by_expiry ON claims (expires_at_ms);

-- Arrival times are fractions of a millisecond where the policy's interval is.
CREATE TABLE windows (
  key TEXT PRIMARY KEY,
  at_ms REAL NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX windows_by_time ON windows (at_ms);

CREATE TABLE proofs (
  account_id TEXT NOT NULL,
  public_key TEXT NOT NULL,
  proven_at_ms INTEGER NOT NULL,
  PRIMARY KEY (account_id, public_key)
) STRICT, WITHOUT ROWID;

-- With row ids: bodies are large, and a tree of keys alone stays small.
CREATE TABLE responses (
  key TEXT PRIMARY KEY,
  bytes BLOB NOT NULL,
  fetched_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT;

CREATE INDEX responses_by_age ON responses (fetched_at_ms);
CREATE INDEX responses_by_expiry ON responses (expires_at_ms);

CREATE TABLE entities (
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  json TEXT NOT NULL,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;
