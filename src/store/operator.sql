-- What the operator has set while prepd ran, and what operators did, which is only ever added to.
CREATE TABLE controls (
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE operator_audit (
  id INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  act TEXT NOT NULL,
  fields TEXT NOT NULL,
  fingerprint TEXT NOT NULL
) STRICT;

CREATE TRIGGER operator_audit_keeps_rows BEFORE DELETE ON operator_audit
BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END;

CREATE TRIGGER operator_audit_keeps_words BEFORE UPDATE ON operator_audit
BEGIN SELECT RAISE(ABORT, 'the audit is only ever added to'); END;
