import fc from 'fast-check'
import type { Limits } from '../../../src/core/mandate.ts'

const USDC = fc.bigInt({ min: 0n, max: 10n ** 18n - 1n })

/** Any limits that an account can have. */
export const ANY_LIMITS: fc.Arbitrary<Limits> = fc.record(
  {
    maxOrderUsdc: USDC,
    maxDailyUsdc: USDC,
    maxPositionUsdc: USDC,
    maxLossUsdc: USDC,
    maxTransferUsdc: USDC,
    approveAboveUsdc: USDC,
    approveAboveDailyUsdc: USDC,
    maxLeverage: fc.integer({ min: 1, max: 1000 }),
    maxOrdersPerMinute: fc.integer({ min: 1, max: 100_000 }),
    symbols: fc.subarray(['PERP_BTC_USDC', 'PERP_ETH_USDC', 'PERP_SOL_USDC']),
    reduceOnly: fc.constant(true),
    readOnly: fc.constant(true),
    onceByClientOrderId: fc.constant(true),
    approveChanges: fc.constant(true),
    expiresAtMs: fc.integer({ min: 1, max: 8.64e15 }),
  },
  { requiredKeys: [] },
)
