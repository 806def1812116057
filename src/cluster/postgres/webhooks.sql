-- Where owners of accounts want to be called. Events stand between spaces.
CREATE TABLE prepd_webhooks (
  id text NOT NULL PRIMARY KEY,
  account_id text NOT NULL,
  url text NOT NULL,
  events text NOT NULL,
  secret text NOT NULL,
  created_at_ms bigint NOT NULL,
  state text NOT NULL,
  due_at_ms bigint NOT NULL,
  attempts int NOT NULL,
  failing_since_ms bigint,
  failure text,
  delivered_at_ms bigint,
  dropped bigint NOT NULL
);

CREATE INDEX prepd_webhooks_account ON prepd_webhooks (account_id);

-- What waits for them, and the keys of what was sent lately.
CREATE TABLE prepd_webhook_messages (
  webhook_id text NOT NULL,
  key text NOT NULL,
  body text NOT NULL,
  at_ms bigint NOT NULL,
  forget_at_ms bigint NOT NULL,
  state text NOT NULL,
  PRIMARY KEY (webhook_id, key)
);

CREATE INDEX prepd_webhook_messages_waiting ON prepd_webhook_messages (webhook_id, at_ms) WHERE state = 'waiting';
CREATE INDEX prepd_webhook_messages_forget ON prepd_webhook_messages (forget_at_ms);
