-- What orders of accounts with limits may use of them, by the venue's clock. One without settled_ms may not show in any figure yet;
-- one with order_id counts at its worst case until its fills are known.
CREATE TABLE prepd_spending (
  scope text NOT NULL,
  at_ms bigint NOT NULL,
  identity text NOT NULL,
  ordinal int NOT NULL,
  symbol text NOT NULL,
  micros numeric NOT NULL,
  orders int NOT NULL,
  settled_ms bigint,
  order_id text,
  PRIMARY KEY (scope, at_ms, identity, ordinal)
);
CREATE INDEX prepd_spending_identity ON prepd_spending (identity);
CREATE INDEX prepd_spending_order ON prepd_spending (scope, order_id) WHERE order_id IS NOT NULL;
CREATE INDEX prepd_spending_time ON prepd_spending (at_ms);
