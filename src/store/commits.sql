-- One row. How many groups of claims and burnt nonces were committed, and when this file was found to have lost some.
CREATE TABLE commits (
  id INTEGER PRIMARY KEY CHECK (id = 0),
  sequence INTEGER NOT NULL,
  lost_at_ms INTEGER NOT NULL
) STRICT;

INSERT INTO commits (id, sequence, lost_at_ms) VALUES (0, 0, 0);
