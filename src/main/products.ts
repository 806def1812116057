import { Failure, Refusal } from '../core/failure.ts'
import type { Meter } from '../core/observing/meter.ts'
import type { Clock, World } from '../core/ports.ts'
import { readBounded } from '../core/settings/files.ts'
import type { Settings } from '../core/settings/settings.ts'
import { settingVariable } from '../core/settings/sources.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { SwapAccess } from '../gateway/swap/access.ts'
import type { ReadPrices } from '../gateway/swap/embedded/price.ts'
import { embeddedSwap } from '../gateway/swap/embedded/provider.ts'
import type { SwapProvider } from '../gateway/swap/provider.ts'
import { remoteSwap } from '../gateway/swap/remote/provider.ts'
import { createSwap, type Swap } from '../gateway/swap/swap.ts'
import { type OpenVouchers, openVouchers } from '../gateway/voucher/open.ts'
import type { VoucherService } from '../gateway/voucher/service.ts'
import type { Vouchers } from '../gateway/voucher/voucher.ts'
import type { VoucherWatch } from '../gateway/voucher/watch.ts'
import { SIGNER_KEPT_MS } from '../store/voucher/signers.ts'
import { StartError, starting } from './start-error.ts'
import type { OpenStore } from './store.ts'
import type { OpenVenue } from './venue-port.ts'

type ProductOptions = {
  readonly gateway: Gateway
  readonly venue: OpenVenue
  readonly meter: Meter
  readonly openVouchers: OpenStore['openVouchers']
}

/** The products other than perpetuals: swaps and vouchers. */
export type Products = {
  readonly swap: Swap
  readonly vouchers: Vouchers
  /** Null without vouchers. */
  readonly voucherService: VoucherService | null
  /** The reason why vouchers cannot be signed now; null if they can be signed. */
  readonly signerTrouble: () => string | null
  readonly close: () => Promise<void>
}

/** Opens swaps and vouchers, and counts their calls. Throws StartError. */
export async function openProducts(
  settings: Settings,
  { monotonicMs }: World,
  { gateway, venue, meter, openVouchers: openStore }: ProductOptions,
): Promise<Products> {
  const swap = await openSwap(settings.swap, gateway, { ...venue, seed: settings.venue.seed })
  const readText = async (file: string) => readBounded(file)
  const opened = await starting('VOUCHER', settings.voucher.path ?? 'off', () =>
    openVouchers(settings.voucher, { ...gateway, monotonicMs, readText, openStore }),
  )
  await refuseConflict(opened)
  const { watch } = opened
  if (watch) readVoucherWatch(meter, watch)
  return {
    swap: meteredSwap(swap, meter),
    vouchers: meteredVouchers(opened.vouchers, meter),
    voucherService: opened.service,
    signerTrouble: () => watch?.signerTrouble() ?? null,
    close: opened.close,
  }
}

function readVoucherWatch(meter: Meter, { signersUp, capUsed }: VoucherWatch): void {
  meter.reading('prepd_voucher_signer_up', () => {
    const areUp = signersUp()
    return areUp === null ? null : Number(areUp)
  })
  meter.reading('prepd_voucher_cap_used_ratio', capUsed)
}

/** Throws StartError if a living instance signs vouchers with a key that this instance does not have. */
async function refuseConflict({ service: voucherService, close }: OpenVouchers): Promise<void> {
  const conflict = await voucherService?.signers?.conflict()
  if (!conflict) return
  await close()
  throw new StartError(
    `${settingVariable('VOUCHER_KEY')} ${conflict.own}: another instance signs vouchers with ${conflict.peer}, whose key is not here: give that key as the second line, or stop that instance (${SIGNER_KEPT_MS / 1000} s after it was killed it counts as stopped)`,
  )
}

/** Wraps swaps to count their calls by verb and code. */
function meteredSwap(swap: Swap, meter: Meter): Swap {
  const counted =
    <Asked extends readonly unknown[], Answered>(
      verb: keyof Swap,
      call: (...asked: Asked) => Promise<Answered>,
    ) =>
    (...asked: Asked) =>
      runReported(
        () => call(...asked),
        (code) => meter.counter('prepd_swap_calls_total', verb, code).add(),
      )
  return {
    quote: counted('quote', swap.quote),
    tokens: counted('tokens', swap.tokens),
    chains: counted('chains', swap.chains),
    status: counted('status', swap.status),
  }
}

/** Wraps vouchers to count their requests by outcome. */
function meteredVouchers({ issue, figures }: Vouchers, meter: Meter): Vouchers {
  return {
    figures,
    issue: (body) =>
      runReported(
        () => issue(body),
        (code, answer) => {
          const outcome = answer?.status === 202 ? 'pending' : 'issued'
          meter.counter('prepd_vouchers_total', code === 'ok' ? outcome : code).add()
        },
      ),
  }
}

/** Runs a call and reports its outcome: `ok` or the failure code. Returns its result, or rethrows its error. */
async function runReported<Answered>(
  call: () => Promise<Answered>,
  ended: (code: string, answered: Answered | null) => void,
): Promise<Answered> {
  try {
    const answered = await call()
    ended('ok', answered)
    return answered
  } catch (error) {
    ended(errorCode(error), null)
    throw error
  }
}

function errorCode(error: unknown): string {
  if (error instanceof Failure) return error.code
  return error instanceof Refusal ? error.refusal : 'internal'
}

/** The prices and clock of simulated swaps; unused if swaps are off or live. */
type EmbeddedSwapSource = {
  readonly seed: number
  /** The embedded venue’s time. */
  readonly clock: Clock
  readonly prices: () => Promise<ReadPrices>
}

type SwapOptions = Omit<SwapAccess, 'provider' | 'quotes'>

/** Opens the swap product over the provider that the settings name, or without a provider if swaps are off. */
async function openSwap(
  settings: Settings['swap'],
  parts: SwapOptions,
  ground: EmbeddedSwapSource,
): Promise<Swap> {
  const { random, log, scrub, cache } = parts
  const provider = await openProvider(settings, parts, ground)
  const { clock } = settings.at === 'embedded' ? ground : parts
  return createSwap({ clock, random, log, scrub, cache, provider })
}

async function openProvider(
  { at, ...options }: Settings['swap'],
  { random, clock, log }: SwapOptions,
  ground: EmbeddedSwapSource,
): Promise<SwapProvider | null> {
  if (at === null) return null
  if (at !== 'embedded') {
    // A warning, because without an allowlist a compromised provider could direct wallets to any contract with a known
    // router function.
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
