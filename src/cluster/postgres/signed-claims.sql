-- Claims of signed writes, whose signed timestamp fixes when they end. Those that end in one minute lie in one of 16 partitions, which is
-- emptied as a whole when that minute is over: the identity and its end decide, and the partition follows from the end.
CREATE FUNCTION prepd_claim_slot(expires_ms bigint) RETURNS smallint LANGUAGE sql IMMUTABLE AS
$$ SELECT (expires_ms / 60000 % 16)::smallint $$;

CREATE TABLE prepd_signed_claims (
  identity text NOT NULL,
  expires_ms bigint NOT NULL,
  slot smallint NOT NULL CHECK (slot = prepd_claim_slot(expires_ms)),
  attempt text NOT NULL,
  number bigint NOT NULL DEFAULT nextval('prepd_claims_number_seq'),
  PRIMARY KEY (identity, expires_ms, slot)
) PARTITION BY LIST (slot);

-- A partition is emptied before its rows are old enough for a vacuum to be of use.
DO $$ BEGIN
  FOR slot IN 0..15 LOOP
    EXECUTE format('CREATE TABLE prepd_signed_claims_%s PARTITION OF prepd_signed_claims
      FOR VALUES IN (%s) WITH (autovacuum_enabled = false)', slot, slot);
  END LOOP;
END $$;

CREATE TRIGGER prepd_signed_claims_keeps_number AFTER DELETE ON prepd_signed_claims
REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION prepd_keeps_number();

-- Empties the partitions whose claims have all ended, and keeps the highest number of what goes; answers how many went. A partition that
-- somebody uses, such as another instance that empties it, is left for the next time.
CREATE FUNCTION prepd_drop_signed_claims(life_max_ms bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  now_ms bigint := extract(epoch FROM now()) * 1000;
  gone bigint := 0;
  held record;
  part text;
BEGIN
  FOR slot IN 0..15 LOOP
    part := format('prepd_signed_claims_%s', slot);
    CONTINUE WHEN pg_relation_size(part::regclass) = 0 OR EXISTS (
      SELECT FROM generate_series(now_ms / 60000, (now_ms + life_max_ms) / 60000) AS minute
      WHERE minute % 16 = slot);
    BEGIN
      EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE NOWAIT', part);
      EXECUTE format('SELECT count(*) AS rows, max(expires_ms) AS ends_ms, max(number) AS number FROM %I', part)
        INTO held;
      CONTINUE WHEN held.ends_ms > now_ms;
      UPDATE prepd_lineage SET claims = held.number WHERE claims < held.number;
      EXECUTE format('TRUNCATE %I', part);
      gone := gone + held.rows;
    EXCEPTION WHEN lock_not_available THEN NULL;
    END;
  END LOOP;
  RETURN gone;
END $$;

-- An earlier prepd that still runs claims signed writes in the table of all others: what it claims and gives back there holds here too, and
-- what is claimed here is claimed for it. What ends later than any signature is none of them.
ALTER TABLE prepd_claims ADD COLUMN is_of_earlier boolean NOT NULL DEFAULT true;
CREATE FUNCTION prepd_claims_join_signed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  ends_ms bigint := round(extract(epoch FROM NEW.expires_at) * 1000);
BEGIN
  INSERT INTO prepd_signed_claims (identity, expires_ms, slot, attempt, number)
  VALUES (NEW.identity, ends_ms, prepd_claim_slot(ends_ms), NEW.attempt, NEW.number)
  ON CONFLICT (identity, expires_ms, slot) DO UPDATE SET attempt = excluded.attempt
  WHERE prepd_signed_claims.attempt = excluded.attempt;
  IF FOUND THEN RETURN NEW; END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER prepd_claims_join_signed BEFORE INSERT ON prepd_claims
FOR EACH ROW WHEN (NEW.is_of_earlier AND NEW.expires_at <= now() + interval '12 minutes') EXECUTE FUNCTION prepd_claims_join_signed();

CREATE FUNCTION prepd_claims_leave_signed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM prepd_signed_claims AS signed USING deleted
  WHERE deleted.is_of_earlier AND signed.identity = deleted.identity AND signed.attempt = deleted.attempt;
  RETURN NULL;
END $$;
CREATE TRIGGER prepd_claims_leave_signed AFTER DELETE ON prepd_claims
REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION prepd_claims_leave_signed();
