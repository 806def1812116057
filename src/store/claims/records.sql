-- Text that is kept with a claim, such as what became of an agent's order.
ALTER TABLE claims ADD COLUMN record TEXT;
