import type { Clock } from '../core/ports.ts'
import type { Settings } from '../settings/settings.ts'
import type { SwapDeps } from '../swap/deps.ts'
import type { PricesOf } from '../swap/embedded/price.ts'
import { embeddedSwap } from '../swap/embedded/provider.ts'
import type { SwapProvider } from '../swap/provider.ts'
import { remoteSwap } from '../swap/remote/provider.ts'
import { createSwap, type Swap } from '../swap/swap.ts'

/** The prices and clock of the embedded swap world, which nothing asks for where swaps are off or live. */
export type SwapGround = {
  readonly seed: number
  /** The embedded venue’s time. */
  readonly clock: Clock
  readonly prices: () => Promise<PricesOf>
}

export type SwapParts = Omit<SwapDeps, 'provider' | 'quotes'>

/** Opens the swap product over the provider that the settings name, or over none when swaps are off. */
export async function openSwap(
  settings: Settings['swap'],
  parts: SwapParts,
  ground: SwapGround,
): Promise<Swap> {
  const { clock, random, log, scrub, cache } = parts
  const provider = await openProvider(settings, parts, ground)
  return createSwap({ clock, random, log, scrub, cache, provider })
}

async function openProvider(
  { at, ...options }: Settings['swap'],
  { random, clock, log }: SwapParts,
  ground: SwapGround,
): Promise<SwapProvider | null> {
  if (at === null) return null
  if (at !== 'embedded') {
    // A provider that is taken over could send wallets anywhere that knows such a call.
    if (options.routers === null) log.warn('swap.routers_not_named')
    return remoteSwap({ ...options, base: at, clock, log })
  }
  return embeddedSwap({
    seed: ground.seed,
    random,
    clock: ground.clock,
    pricesOf: await ground.prices(),
  })
}
