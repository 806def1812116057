-- What this server did in each minute of the last day, for the operator's console.
CREATE TABLE traffic (
  until_ms INTEGER NOT NULL PRIMARY KEY,
  span_ms INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  failed INTEGER NOT NULL,
  p99_ms REAL,
  loop_delay_ms REAL NOT NULL,
  resident_bytes INTEGER NOT NULL
) STRICT;
