-- Who asked for an approval, and what position and leverage become.
ALTER TABLE approvals ADD COLUMN asked_key TEXT;
ALTER TABLE approvals ADD COLUMN program TEXT;
ALTER TABLE approvals ADD COLUMN effects TEXT;
