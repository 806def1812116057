-- How many entries the writes of an owner have added to the journal on each day since 1970 (UTC).
CREATE TABLE agent_journal_owners (
  owner TEXT NOT NULL,
  day INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  PRIMARY KEY (owner, day)
) STRICT, WITHOUT ROWID;

CREATE INDEX agent_journal_owners_day ON agent_journal_owners (day);
