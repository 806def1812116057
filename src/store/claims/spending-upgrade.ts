import spending from './spending.sql' with { type: 'text' }

/** Brings spending of whole writes over to spending of their orders; what was used stays used. */
export const SPENDING_OF_ORDERS = `
ALTER TABLE spending RENAME TO spending_of_writes;
DROP INDEX spending_identity;
${spending}
INSERT INTO spending (scope, at_ms, identity, ordinal, symbol, micros, orders, settled_ms)
  SELECT scope, at_ms, identity, row_number() OVER (PARTITION BY scope, at_ms, identity ORDER BY symbol) - 1,
    symbol, micros, orders, settled_ms
  FROM spending_of_writes;
DROP TABLE spending_of_writes;
`
