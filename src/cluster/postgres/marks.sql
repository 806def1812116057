-- The deployment that a database belongs to, and the highest number of a claim that it has had.
ALTER TABLE prepd_lineage
  ADD COLUMN deployment text NOT NULL DEFAULT md5(random()::text || clock_timestamp()::text),
  ADD COLUMN claims bigint NOT NULL DEFAULT 0;

ALTER TABLE prepd_claims ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY;

-- A claim that is deleted leaves its number, whichever version of prepd deletes it.
CREATE FUNCTION prepd_keeps_number() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN
  UPDATE prepd_lineage SET claims = gone.number
  FROM (SELECT max(number) AS number FROM deleted) AS gone WHERE claims < gone.number;
  RETURN NULL;
END $$;

CREATE TRIGGER prepd_claims_keeps_number AFTER DELETE ON prepd_claims
REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION prepd_keeps_number();

CREATE INDEX prepd_voucher_audit_adoption ON prepd_voucher_audit (id) WHERE event IN ('adopted', 'lost');
