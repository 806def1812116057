-- Where owners of accounts want to be called. Events stand between spaces.
CREATE TABLE webhooks (
  id TEXT NOT NULL PRIMARY KEY,
  account_id TEXT NOT NULL,
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  secret TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  state TEXT NOT NULL,
  due_at_ms INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  failing_since_ms INTEGER,
  failure TEXT,
  delivered_at_ms INTEGER,
  dropped INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX webhooks_account ON webhooks (account_id);

-- What waits for them, and the keys of what was sent lately.
CREATE TABLE webhook_messages (
  webhook_id TEXT NOT NULL,
  key TEXT NOT NULL,
  body TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  forget_at_ms INTEGER NOT NULL,
  state TEXT NOT NULL,
  PRIMARY KEY (webhook_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_messages_waiting ON webhook_messages (webhook_id, at_ms) WHERE state = 'waiting';
CREATE INDEX webhook_messages_forget ON webhook_messages (forget_at_ms);
