-- What callers have signed in advance, to be sent for them. Until when a row is being sent stands in due_at_ms as well.
CREATE TABLE standbys (
  account_id TEXT NOT NULL,
  public_key TEXT NOT NULL,
  cancels TEXT NOT NULL,
  signed_at_ms INTEGER NOT NULL,
  after_ms INTEGER NOT NULL,
  due_at_ms INTEGER NOT NULL,
  ends_at_ms INTEGER NOT NULL,
  state TEXT NOT NULL,
  changed_at_ms INTEGER NOT NULL,
  failure TEXT,
  PRIMARY KEY (account_id, public_key)
) STRICT, WITHOUT ROWID;

CREATE INDEX standbys_due ON standbys (due_at_ms) WHERE state IN ('armed', 'sending');
CREATE INDEX standbys_ended ON standbys (changed_at_ms) WHERE state NOT IN ('armed', 'sending');
