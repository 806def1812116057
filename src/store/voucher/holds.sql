-- The last second in which any voucher of a deposit can be redeemed, and by which none may be signed any more; why it is
-- held, and whether the operator has released it to be issued anew. What an earlier prepd froze is held.
ALTER TABLE vouchers ADD COLUMN redeemable_until INTEGER NOT NULL DEFAULT 0;
ALTER TABLE vouchers ADD COLUMN payable_until INTEGER;
ALTER TABLE vouchers ADD COLUMN hold TEXT;
ALTER TABLE vouchers ADD COLUMN released INTEGER NOT NULL DEFAULT 0;

-- A voucher that was issued again may have followed one that lasts longer; none lasts more than a week.
UPDATE vouchers SET
  redeemable_until = CASE WHEN generation = 1 THEN valid_until ELSE max(valid_until, updated_at / 1000 + 604800) END,
  hold = CASE WHEN frozen = 1 THEN 'facts changed' END;

CREATE INDEX vouchers_by_end ON vouchers (destination_chain_id, token, redeemable_until);
