-- What callers have signed in advance, to be sent for them by any instance. Until when a row is being sent stands in due_at_ms as well.
CREATE TABLE prepd_standbys (
  account_id text NOT NULL,
  public_key text NOT NULL,
  cancels text NOT NULL,
  signed_at_ms bigint NOT NULL,
  after_ms bigint NOT NULL,
  due_at_ms bigint NOT NULL,
  ends_at_ms bigint NOT NULL,
  state text NOT NULL,
  changed_at_ms bigint NOT NULL,
  failure text,
  PRIMARY KEY (account_id, public_key)
);
CREATE INDEX prepd_standbys_due ON prepd_standbys (due_at_ms) WHERE state IN ('armed', 'sending');
CREATE INDEX prepd_standbys_ended ON prepd_standbys (changed_at_ms) WHERE state NOT IN ('armed', 'sending');
