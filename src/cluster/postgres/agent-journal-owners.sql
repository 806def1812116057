-- How many entries the writes of an owner have added to the journal on each day since 1970 (UTC).
CREATE TABLE prepd_agent_journal_owners (
  owner text NOT NULL,
  day bigint NOT NULL,
  entries bigint NOT NULL,
  PRIMARY KEY (owner, day)
);

CREATE INDEX prepd_agent_journal_owners_day ON prepd_agent_journal_owners (day);
