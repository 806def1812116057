import type { Settings } from '../core/settings.ts'
import type { SwapProvider } from '../core/swap-provider.ts'
import { type OpenVenue, type PriceOf, pricesOf } from './venue.ts'
import type { World } from './world.ts'

/** Opens the swap provider that the settings name; null when swaps are off. */
export async function openSwap(
  { swap, venue }: Settings,
  { random, clock, log }: World,
  { priceOf, clock: venueClock }: OpenVenue,
): Promise<SwapProvider | null> {
  if (swap.at === null) return null
  if (swap.at !== 'embedded') {
    const { remoteSwap } = await import('../upstream/swap-remote.ts')
    const { at, ...options } = swap
    return remoteSwap({ ...options, base: at, clock, log })
  }
  const { embeddedSwap } = await import('../upstream/embedded-swap.ts')
  const prices = priceOf ?? (await seededPrices(venue.seed, clock.nowMs()))
  return embeddedSwap({ seed: venue.seed, random, clock: venueClock, priceOf: prices })
}

// A seeded swap world before a live venue has the seeded markets for its prices alone.
async function seededPrices(seed: number, genesisMs: number): Promise<PriceOf> {
  const { createFeed } = await import('../venue/market-feed.ts')
  return pricesOf(createFeed({ seed, genesisMs }))
}
