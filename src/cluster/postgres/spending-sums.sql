-- Running sums of spending, kept by triggers, so that a write reads a bounded number of rows however many came before it; an
-- earlier prepd that goes on beside this one keeps them right too.
-- Of each scope: one sum per minute (span_ms 60000) and per second (1000) of the venue's clock, and one of all its rows (0).
CREATE TABLE prepd_spending_sums (
  scope text NOT NULL,
  span_ms bigint NOT NULL,
  from_ms bigint NOT NULL,
  micros numeric NOT NULL,
  orders int NOT NULL,
  PRIMARY KEY (scope, span_ms, from_ms)
);
CREATE INDEX prepd_spending_sums_by_time ON prepd_spending_sums (span_ms, from_ms);

-- Value per market that figures may not show yet, per millisecond of the wall clock in which its outcome became known;
-- 9007199254740991 while the outcome is unknown.
CREATE TABLE prepd_spending_unseen (
  scope text NOT NULL,
  seen_ms bigint NOT NULL,
  symbol text NOT NULL,
  micros numeric NOT NULL,
  PRIMARY KEY (scope, seen_ms, symbol)
);

CREATE FUNCTION prepd_spending_seen(settled_ms bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT coalesce(settled_ms, 9007199254740991) $$;

CREATE FUNCTION prepd_spending_added() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO prepd_spending_sums AS sums (scope, span_ms, from_ms, micros, orders) VALUES
    (NEW.scope, 0, 0, NEW.micros, NEW.orders),
    (NEW.scope, 1000, NEW.at_ms / 1000 * 1000, NEW.micros, NEW.orders),
    (NEW.scope, 60000, NEW.at_ms / 60000 * 60000, NEW.micros, NEW.orders)
    ON CONFLICT (scope, span_ms, from_ms)
    DO UPDATE SET micros = sums.micros + excluded.micros, orders = sums.orders + excluded.orders;
  INSERT INTO prepd_spending_unseen AS unseen (scope, seen_ms, symbol, micros)
    SELECT NEW.scope, prepd_spending_seen(NEW.settled_ms), NEW.symbol, NEW.micros WHERE NEW.micros > 0
    ON CONFLICT (scope, seen_ms, symbol) DO UPDATE SET micros = unseen.micros + excluded.micros;
  RETURN NULL;
END $$;

CREATE FUNCTION prepd_spending_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE prepd_spending_sums SET micros = greatest(micros - OLD.micros, 0), orders = greatest(orders - OLD.orders, 0)
    WHERE scope = OLD.scope
      AND (span_ms, from_ms) IN ((0, 0), (1000, OLD.at_ms / 1000 * 1000), (60000, OLD.at_ms / 60000 * 60000));
  DELETE FROM prepd_spending_sums WHERE scope = OLD.scope AND span_ms = 0 AND orders = 0;
  UPDATE prepd_spending_unseen SET micros = greatest(micros - OLD.micros, 0)
    WHERE scope = OLD.scope AND symbol = OLD.symbol AND seen_ms = prepd_spending_seen(OLD.settled_ms);
  DELETE FROM prepd_spending_unseen WHERE micros = 0
    AND scope = OLD.scope AND symbol = OLD.symbol AND seen_ms = prepd_spending_seen(OLD.settled_ms);
  RETURN NULL;
END $$;

CREATE FUNCTION prepd_spending_changed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE prepd_spending_sums SET micros = greatest(micros - OLD.micros + NEW.micros, 0)
    WHERE scope = OLD.scope
      AND (span_ms, from_ms) IN ((0, 0), (1000, OLD.at_ms / 1000 * 1000), (60000, OLD.at_ms / 60000 * 60000));
  UPDATE prepd_spending_unseen SET micros = greatest(micros - OLD.micros, 0)
    WHERE scope = OLD.scope AND symbol = OLD.symbol AND seen_ms = prepd_spending_seen(OLD.settled_ms);
  DELETE FROM prepd_spending_unseen WHERE micros = 0
    AND scope = OLD.scope AND symbol = OLD.symbol AND seen_ms = prepd_spending_seen(OLD.settled_ms);
  INSERT INTO prepd_spending_unseen AS unseen (scope, seen_ms, symbol, micros)
    SELECT NEW.scope, prepd_spending_seen(NEW.settled_ms), NEW.symbol, NEW.micros WHERE NEW.micros > 0
    ON CONFLICT (scope, seen_ms, symbol) DO UPDATE SET micros = unseen.micros + excluded.micros;
  RETURN NULL;
END $$;

-- No write is added between the sums of those that are there and the triggers.
LOCK TABLE prepd_spending IN SHARE ROW EXCLUSIVE MODE;
CREATE TRIGGER prepd_spending_added AFTER INSERT ON prepd_spending
FOR EACH ROW EXECUTE FUNCTION prepd_spending_added();
CREATE TRIGGER prepd_spending_removed AFTER DELETE ON prepd_spending
FOR EACH ROW EXECUTE FUNCTION prepd_spending_removed();
CREATE TRIGGER prepd_spending_changed AFTER UPDATE OF micros, settled_ms ON prepd_spending
FOR EACH ROW EXECUTE FUNCTION prepd_spending_changed();

INSERT INTO prepd_spending_sums (scope, span_ms, from_ms, micros, orders)
  SELECT scope, 0, 0, sum(micros), sum(orders) FROM prepd_spending GROUP BY scope;
INSERT INTO prepd_spending_sums (scope, span_ms, from_ms, micros, orders)
  SELECT scope, span, at_ms / span * span AS start, sum(micros), sum(orders)
  FROM prepd_spending, (VALUES (1000::bigint), (60000)) AS spans (span) GROUP BY scope, span, start;
INSERT INTO prepd_spending_unseen (scope, seen_ms, symbol, micros)
  SELECT scope, prepd_spending_seen(settled_ms) AS seen, symbol, sum(micros)
  FROM prepd_spending WHERE micros > 0 GROUP BY scope, seen, symbol;
