-- What agents of all instances wrote, in entries that are chained by hash and only ever added to; the oldest are pruned.
CREATE TABLE prepd_agent_journal (
  sequence bigint PRIMARY KEY,
  previous text NOT NULL,
  text text NOT NULL,
  hash text NOT NULL
);

-- The last entry that was pruned, and the newest.
CREATE TABLE prepd_agent_journal_bounds (
  name text PRIMARY KEY,
  sequence bigint NOT NULL,
  hash text NOT NULL
);

INSERT INTO prepd_agent_journal_bounds (name, sequence, hash) VALUES
  ('pruned', 0, repeat('0', 64)), ('newest', 0, repeat('0', 64));

CREATE FUNCTION prepd_agent_journal_keeps() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN
  IF TG_OP = 'DELETE' AND OLD.sequence <=
    (SELECT sequence FROM prepd_agent_journal_bounds WHERE name = 'pruned') THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'the journal is only ever added to';
END $$;

CREATE TRIGGER prepd_agent_journal_keeps_rows BEFORE DELETE OR UPDATE ON prepd_agent_journal
FOR EACH ROW EXECUTE FUNCTION prepd_agent_journal_keeps();

-- Adds entries to the chain; answers the number of the last. One instance adds at a time, and each within one statement.
CREATE FUNCTION prepd_agent_journal_add(texts text[]) RETURNS bigint LANGUAGE plpgsql AS
$$ DECLARE
  last prepd_agent_journal_bounds;
  previous text;
  next text;
BEGIN
  SELECT * INTO STRICT last FROM prepd_agent_journal_bounds WHERE name = 'newest' FOR UPDATE;
  FOREACH next IN ARRAY texts LOOP
    previous := last.hash;
    last.sequence := last.sequence + 1;
    last.hash := encode(sha256(convert_to(
      previous || E'\n' || last.sequence || E'\n' || next, 'UTF8')), 'hex');
    INSERT INTO prepd_agent_journal (sequence, previous, text, hash)
      VALUES (last.sequence, previous, next, last.hash);
  END LOOP;
  UPDATE prepd_agent_journal_bounds SET sequence = last.sequence, hash = last.hash
    WHERE name = 'newest';
  RETURN last.sequence;
END $$;
