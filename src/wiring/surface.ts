import { BUILD } from '../core/build-facts.ts'
import type { EngineHealth } from '../core/engines/health.ts'
import { Failure, Refusal } from '../core/failure.ts'
import type { LogLevel } from '../core/log.ts'
import { turn } from '../core/loop/guarded.ts'
import type { Meter } from '../core/observing/meter.ts'
import type { World } from '../core/ports.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Recorder } from '../routes/console/recorder.ts'
import type { Front } from '../routes/http/front.ts'
import type { Sockets } from '../routes/http/sockets.ts'
import type { Router, Shared } from '../routes/router.ts'
import type { OpenStream } from '../routes/stream.ts'
import { readBounded } from '../settings/files.ts'
import { hostText } from '../settings/listen-address.ts'
import type { Settings } from '../settings/settings.ts'
import { variableOf } from '../settings/sources.ts'
import { SIGNER_KEPT_MS } from '../store/voucher/signers.ts'
import type { StreamSize } from '../stream/stream.ts'
import type { SwapParts } from '../swap/open.ts'
import type { Swap } from '../swap/swap.ts'
import type { OpenVouchers, VoucherParts } from '../voucher/open.ts'
import type { Vouchers } from '../voucher/voucher.ts'
import { StartError, starting } from './start-error.ts'
import type { OpenStore } from './store.ts'
import type { WholeVenue } from './venue-port.ts'

type Parts = {
  readonly settings: Settings
  readonly world: World
  /** When this process began to serve, which may be long before anybody asks for this. */
  readonly startedAtMs: number
  readonly gateway: Gateway
  readonly meter: Meter
  /** The store's file, or `:memory:`. */
  readonly path: string
  readonly openVouchers: OpenStore['openVouchers']
  readonly venue: WholeVenue
  readonly faults: () => number
  readonly isStopping: () => boolean
  readonly isShortOfDescriptors: () => boolean
  readonly setLogLevel: (level: LogLevel) => void
  /** Asked for each act of the operator. */
  readonly operatorKeys: () => readonly string[]
  readonly certificateEndMs: () => number | null
  readonly engines: readonly EngineHealth[]
  readonly recorder: Recorder
  readonly sockets: Sockets
  readonly live: { readonly open: OpenStream | null; readonly size: () => StreamSize | null }
}

/** What answers everything but hot reads. */
export type Surface = {
  readonly routerOf: (shared: Shared) => Promise<Router>
  readonly ops: Front
  readonly close: () => Promise<void>
}

/** Loads the routes and opens the products beside the venue's own, a piece a turn. Throws StartError. */
export async function openSurface(parts: Parts): Promise<Surface> {
  const { settings, world, gateway, meter, engines, venue, recorder, sockets, live } = parts
  const { operatorKeys } = parts
  const { voucherService, closeVouchers, ...products } = await openProducts(parts)
  await turn()
  const { actParts, consoleParts, guarded } = await import('./console.ts')
  await turn()
  const { createOps } = await import('../routes/ops.ts')
  await turn()
  const acts = actParts(world, { ...parts, deps: gateway, voucherService })
  const { version } = BUILD
  return {
    routerOf: async (shared) => {
      await turn()
      const { createRouter } = await import('../routes/router.ts')
      await turn()
      return createRouter(
        {
          gateway,
          ...products,
          openStream: live.open,
          runVenueCommand: venue.tell,
          sockets,
          ...routerSettings(settings),
          acts: guarded(acts, settings, operatorKeys),
          recorder,
          version,
          venue: venue.kind,
        },
        shared,
      )
    },
    ops: createOps({
      deps: gateway,
      isStopping: parts.isStopping,
      isShortOfDescriptors: parts.isShortOfDescriptors,
      certificateEndMs: parts.certificateEndMs,
      meter,
      engines,
      vouchers: products.vouchers,
      ...opsOf(venue),
      version,
      console: consoleParts(settings, world, { ...parts, voucherService, acts }),
      acts: guarded(acts, settings, operatorKeys),
      hosts: opsHosts(settings),
    }),
    close: closeVouchers,
  }
}

/** What the operator's listener takes from the venue as it is. */
function opsOf({ kind, advance, practice, check, arrived, stillPrices }: WholeVenue) {
  return { venue: kind, advance, practice, check, arrived, stillPrices }
}

/** Names that the operator's listener answers to: those of the service, and its own. */
function opsHosts({ allowedHosts, opsListen }: Settings): readonly string[] {
  return opsListen ? [...allowedHosts, hostText(opsListen.host).toLowerCase()] : allowedHosts
}

/** What the router takes from the settings as it is. */
function routerSettings({ trustedProxies, allowedOrigins, allowedHosts, tls, page }: Settings) {
  return {
    trusted: trustedProxies,
    origins: allowedOrigins,
    hosts: allowedHosts,
    tls: tls !== null,
    page,
  }
}

async function openProducts(given: Parts) {
  const { settings, gateway, meter, openVouchers: openStore, venue } = given
  const parts: SwapParts & Pick<VoucherParts, 'clock' | 'log' | 'scrub'> = gateway
  await turn()
  const { openSwap } = await import('../swap/open.ts')
  await turn()
  const { openVouchers } = await import('../voucher/open.ts')
  await turn()
  const swap = await openSwap(settings.swap, parts, { ...venue, seed: settings.venue.seed })
  await turn()
  const { monotonicMs } = given.world
  const readText = async (file: string) => readBounded(file)
  const opened = await starting('VOUCHER', settings.voucher.path ?? 'off', () =>
    openVouchers(settings.voucher, { ...parts, monotonicMs, readText, openStore }),
  )
  await refuseConflict(opened)
  return {
    swap: meteredSwap(swap, meter),
    vouchers: meteredVouchers(opened.vouchers, meter),
    voucherService: opened.service,
    closeVouchers: opened.close,
  }
}

/** Throws StartError where a living instance signs vouchers with a key that is not among ours. */
async function refuseConflict({ service: voucherService, close }: OpenVouchers): Promise<void> {
  const conflict = await voucherService?.signers?.conflict()
  if (!conflict) return
  await close()
  throw new StartError(
    `${variableOf('VOUCHER_KEY')} ${conflict.own}: another instance signs vouchers with ${conflict.peer}, whose key is not here: give that key as the second line, or stop that instance (${SIGNER_KEPT_MS / 1000} s after it was killed it counts as stopped)`,
  )
}

/** Swaps whose calls are counted by verb and code. */
function meteredSwap(swap: Swap, meter: Meter): Swap {
  const counted =
    <Asked extends readonly unknown[], Answered>(
      verb: keyof Swap,
      call: (...asked: Asked) => Promise<Answered>,
    ) =>
    (...asked: Asked) =>
      settled(
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

/** Vouchers whose requests are counted by how they ended. */
function meteredVouchers({ issue, figures }: Vouchers, meter: Meter): Vouchers {
  return {
    figures,
    issue: (body) =>
      settled(
        () => issue(body),
        (code, answer) => {
          const outcome = answer?.status === 202 ? 'pending' : 'issued'
          meter.counter('prepd_vouchers_total', code === 'ok' ? outcome : code).add()
        },
      ),
  }
}

/** Runs a call and reports how it ended, `ok` or the code of its failure; the caller gets what it would have got. */
async function settled<Answered>(
  call: () => Promise<Answered>,
  ended: (code: string, answered: Answered | null) => void,
): Promise<Answered> {
  try {
    const answered = await call()
    ended('ok', answered)
    return answered
  } catch (error) {
    ended(codeOf(error), null)
    throw error
  }
}

function codeOf(error: unknown): string {
  if (error instanceof Failure) return error.code
  return error instanceof Refusal ? error.refusal : 'internal'
}
