-- One row an order of a write: one without settled_ms may not show in any figure yet; one with order_id counts at its worst case
-- until its fills are known. An earlier prepd goes on beside it, whose writes have one order a market.
ALTER TABLE prepd_spending ADD COLUMN ordinal int NOT NULL DEFAULT 0, ADD COLUMN order_id text;
UPDATE prepd_spending AS spent SET ordinal = numbered.ordinal FROM (
  SELECT scope, at_ms, identity, symbol,
    row_number() OVER (PARTITION BY scope, at_ms, identity ORDER BY symbol) - 1 AS ordinal
  FROM prepd_spending) AS numbered
  WHERE spent.scope = numbered.scope AND spent.at_ms = numbered.at_ms
    AND spent.identity = numbered.identity AND spent.symbol = numbered.symbol;
ALTER TABLE prepd_spending DROP CONSTRAINT prepd_spending_pkey,
  ADD PRIMARY KEY (scope, at_ms, identity, ordinal);
DROP INDEX prepd_spending_identity;
CREATE INDEX prepd_spending_identity ON prepd_spending (identity);
CREATE INDEX prepd_spending_order ON prepd_spending (scope, order_id) WHERE order_id IS NOT NULL;
CREATE INDEX prepd_spending_time ON prepd_spending (at_ms);
