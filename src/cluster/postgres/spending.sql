-- What writes of accounts with limits may use of them, by the venue's clock. One without settled_ms may not show in any figure yet.
CREATE TABLE prepd_spending (
  scope text NOT NULL,
  at_ms bigint NOT NULL,
  identity text NOT NULL,
  symbol text NOT NULL,
  micros numeric NOT NULL,
  orders int NOT NULL,
  settled_ms bigint,
  PRIMARY KEY (scope, at_ms, identity, symbol)
);
CREATE INDEX prepd_spending_identity ON prepd_spending (scope, identity);
