-- Whose share of the identities that are held for a day a claim takes; null for one that ends within hours.
ALTER TABLE claims ADD COLUMN owner TEXT;
