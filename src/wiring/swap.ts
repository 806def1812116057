import type { World } from '../core/ports.ts'
import type { Settings } from '../settings/settings.ts'
import type { SwapDeps } from '../swap/deps.ts'
import type { SwapProvider } from '../swap/provider.ts'
import type { Swap } from '../swap/swap.ts'
import { type OpenVenue, type PriceOf, pricesOf } from './venue.ts'

/** Opens the swap product over the provider that the settings name, or over none when swaps are off. */
export async function openSwap(
  settings: Settings,
  parts: Omit<SwapDeps, 'swap' | 'swapQuotes'>,
  venue: OpenVenue,
): Promise<Swap> {
  const { createSwap } = await import('../swap/swap.ts')
  return createSwap({ ...parts, swap: await openProvider(settings, parts, venue) })
}

async function openProvider(
  { swap, venue }: Settings,
  { random, clock, log }: World,
  { priceOf, clock: venueClock }: OpenVenue,
): Promise<SwapProvider | null> {
  if (swap.at === null) return null
  if (swap.at !== 'embedded') {
    const { remoteSwap } = await import('../swap/remote/provider.ts')
    const { at, ...options } = swap
    return remoteSwap({ ...options, base: at, clock, log })
  }
  const { embeddedSwap } = await import('../swap/embedded/provider.ts')
  const prices = priceOf ?? (await seededPrices(venue.seed, clock.nowMs()))
  return embeddedSwap({ seed: venue.seed, random, clock: venueClock, priceOf: prices })
}

// A seeded swap world before a live venue has the seeded markets for its prices alone.
async function seededPrices(seed: number, genesisMs: number): Promise<PriceOf> {
  const { createFeed } = await import('../venue/market/seeded-feed.ts')
  return pricesOf(createFeed({ seed, genesisMs }))
}
