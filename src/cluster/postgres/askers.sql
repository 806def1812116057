-- Who asked for an approval, and what position and leverage become.
ALTER TABLE prepd_approvals ADD COLUMN asked_key text;
ALTER TABLE prepd_approvals ADD COLUMN program text;
ALTER TABLE prepd_approvals ADD COLUMN effects text;
