-- What writes of agents may use of their limits, by the venue's clock. A write without settled_ms may not show in any figure yet.
CREATE TABLE spending (
  scope TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  identity TEXT NOT NULL,
  symbol TEXT NOT NULL,
  micros INTEGER NOT NULL,
  orders INTEGER NOT NULL,
  settled_ms INTEGER,
  PRIMARY KEY (scope, at_ms, identity, symbol)
) STRICT, WITHOUT ROWID;

CREATE INDEX spending_identity ON spending (scope, identity);
