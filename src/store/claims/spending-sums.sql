-- Running sums of spending, kept by triggers, so that a write reads a bounded number of rows however many came before it.
-- Of each scope: one sum per minute (span_ms 60000) and per second (1000) of the venue's clock, and one of all its rows (0).
CREATE TABLE spending_sums (
  scope TEXT NOT NULL,
  span_ms INTEGER NOT NULL,
  from_ms INTEGER NOT NULL,
  micros INTEGER NOT NULL,
  orders INTEGER NOT NULL,
  PRIMARY KEY (scope, span_ms, from_ms)
) STRICT, WITHOUT ROWID;
CREATE INDEX spending_sums_by_time ON spending_sums (span_ms, from_ms);

-- Value per market that figures may not show yet, per millisecond of the wall clock in which its outcome became known;
-- 9007199254740991 while the outcome is unknown.
CREATE TABLE spending_unseen (
  scope TEXT NOT NULL,
  seen_ms INTEGER NOT NULL,
  symbol TEXT NOT NULL,
  micros INTEGER NOT NULL,
  PRIMARY KEY (scope, seen_ms, symbol)
) STRICT, WITHOUT ROWID;

-- A sum stops at 9 * 10^18: more does not fit into an integer of the file.
CREATE TRIGGER spending_added AFTER INSERT ON spending BEGIN
  INSERT INTO spending_sums (scope, span_ms, from_ms, micros, orders) VALUES
    (NEW.scope, 0, 0, NEW.micros, NEW.orders),
    (NEW.scope, 1000, NEW.at_ms / 1000 * 1000, NEW.micros, NEW.orders),
    (NEW.scope, 60000, NEW.at_ms / 60000 * 60000, NEW.micros, NEW.orders)
    ON CONFLICT DO UPDATE SET micros = min(micros + excluded.micros, 9000000000000000000), orders = orders + excluded.orders;
  INSERT INTO spending_unseen (scope, seen_ms, symbol, micros)
    SELECT NEW.scope, coalesce(NEW.settled_ms, 9007199254740991), NEW.symbol, NEW.micros WHERE NEW.micros > 0
    ON CONFLICT DO UPDATE SET micros = min(micros + excluded.micros, 9000000000000000000);
END;

CREATE TRIGGER spending_removed AFTER DELETE ON spending BEGIN
  UPDATE spending_sums SET micros = max(micros - OLD.micros, 0), orders = max(orders - OLD.orders, 0)
    WHERE scope = OLD.scope
      AND (span_ms, from_ms) IN (VALUES (0, 0), (1000, OLD.at_ms / 1000 * 1000), (60000, OLD.at_ms / 60000 * 60000));
  DELETE FROM spending_sums WHERE scope = OLD.scope AND span_ms = 0 AND orders = 0;
  UPDATE spending_unseen SET micros = max(micros - OLD.micros, 0)
    WHERE scope = OLD.scope AND symbol = OLD.symbol AND seen_ms = coalesce(OLD.settled_ms, 9007199254740991);
  DELETE FROM spending_unseen WHERE micros = 0
    AND scope = OLD.scope AND symbol = OLD.symbol AND seen_ms = coalesce(OLD.settled_ms, 9007199254740991);
END;

CREATE TRIGGER spending_changed AFTER UPDATE OF micros, settled_ms ON spending BEGIN
  UPDATE spending_sums SET micros = max(micros - OLD.micros + NEW.micros, 0)
    WHERE scope = OLD.scope
      AND (span_ms, from_ms) IN (VALUES (0, 0), (1000, OLD.at_ms / 1000 * 1000), (60000, OLD.at_ms / 60000 * 60000));
  UPDATE spending_unseen SET micros = max(micros - OLD.micros, 0)
    WHERE scope = OLD.scope AND symbol = OLD.symbol AND seen_ms = coalesce(OLD.settled_ms, 9007199254740991);
  DELETE FROM spending_unseen WHERE micros = 0
    AND scope = OLD.scope AND symbol = OLD.symbol AND seen_ms = coalesce(OLD.settled_ms, 9007199254740991);
  INSERT INTO spending_unseen (scope, seen_ms, symbol, micros)
    SELECT NEW.scope, coalesce(NEW.settled_ms, 9007199254740991), NEW.symbol, NEW.micros WHERE NEW.micros > 0
    ON CONFLICT DO UPDATE SET micros = min(micros + excluded.micros, 9000000000000000000);
END;

INSERT INTO spending_sums (scope, span_ms, from_ms, micros, orders)
  SELECT scope, 0, 0, CAST(min(total(micros), 9e18) AS INTEGER), sum(orders) FROM spending GROUP BY scope
  UNION ALL
  SELECT scope, 1000, at_ms / 1000 * 1000 AS start, CAST(min(total(micros), 9e18) AS INTEGER), sum(orders)
  FROM spending GROUP BY scope, start
  UNION ALL
  SELECT scope, 60000, at_ms / 60000 * 60000 AS start, CAST(min(total(micros), 9e18) AS INTEGER), sum(orders)
  FROM spending GROUP BY scope, start;
INSERT INTO spending_unseen (scope, seen_ms, symbol, micros)
  SELECT scope, coalesce(settled_ms, 9007199254740991) AS seen, symbol, CAST(min(total(micros), 9e18) AS INTEGER)
  FROM spending WHERE micros > 0 GROUP BY scope, seen, symbol;
