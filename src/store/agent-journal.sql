-- What agents wrote, in entries that are chained by hash and only ever added to; the oldest are pruned.
CREATE TABLE agent_journal (
  sequence INTEGER PRIMARY KEY,
  previous TEXT NOT NULL,
  text TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;

-- The last entry that was pruned, and the newest.
CREATE TABLE agent_journal_bounds (
  name TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO agent_journal_bounds (name, sequence, hash) VALUES
  ('pruned', 0, '0000000000000000000000000000000000000000000000000000000000000000'),
  ('newest', 0, '0000000000000000000000000000000000000000000000000000000000000000');

CREATE TRIGGER agent_journal_keeps_rows BEFORE DELETE ON agent_journal
WHEN OLD.sequence > (SELECT sequence FROM agent_journal_bounds WHERE name = 'pruned')
BEGIN SELECT RAISE(ABORT, 'the journal is only ever added to'); END;

CREATE TRIGGER agent_journal_keeps_text BEFORE UPDATE ON agent_journal
BEGIN SELECT RAISE(ABORT, 'the journal is only ever added to'); END;
