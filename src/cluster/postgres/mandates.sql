-- The limits that wallets have signed for their accounts. Changes of all rows are numbered in the order of their commits: whoever makes one holds the row of the last number.
CREATE TABLE prepd_mandates (
  account_id text NOT NULL PRIMARY KEY,
  limits text NOT NULL,
  counter bigint NOT NULL,
  frozen_by text NOT NULL,
  changed_at_ms bigint NOT NULL,
  change bigint NOT NULL
);
CREATE INDEX prepd_mandates_change ON prepd_mandates (change);
CREATE TABLE prepd_mandate_changes (id int PRIMARY KEY CHECK (id = 0), last bigint NOT NULL);
INSERT INTO prepd_mandate_changes VALUES (0, 0);
