-- What orders of agents may use of their limits, by the venue's clock. One without settled_ms may not show in any figure yet; one
-- with order_id counts at its worst case until its fills are known.
ALTER TABLE spending RENAME TO spending_of_writes;
DROP INDEX spending_identity;

CREATE TABLE spending (
  scope TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  identity TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  symbol TEXT NOT NULL,
  micros INTEGER NOT NULL,
  orders INTEGER NOT NULL,
  settled_ms INTEGER,
  order_id TEXT,
  PRIMARY KEY (scope, at_ms, identity, ordinal)
) STRICT, WITHOUT ROWID;

CREATE INDEX spending_identity ON spending (identity);
CREATE INDEX spending_order ON spending (scope, order_id) WHERE order_id IS NOT NULL;
CREATE INDEX spending_time ON spending (at_ms);

INSERT INTO spending (scope, at_ms, identity, ordinal, symbol, micros, orders, settled_ms)
  SELECT scope, at_ms, identity, row_number() OVER (PARTITION BY scope, at_ms, identity ORDER BY symbol) - 1,
    symbol, micros, orders, settled_ms
  FROM spending_of_writes;
DROP TABLE spending_of_writes;
