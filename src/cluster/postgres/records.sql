-- Text that is kept with a claim, such as what became of an agent's order.
ALTER TABLE prepd_claims ADD COLUMN record text;
