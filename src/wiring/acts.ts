import { BUILD } from '../core/build-facts.ts'
import type { LogLevel } from '../core/log.ts'
import type { World } from '../core/ports.ts'
import type { ActParts } from '../gateway/controls/acts.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { unready } from '../gateway/ready.ts'
import type { ActsParts } from '../routes/operator/acts.ts'
import { recordsAt } from '../settings/engines.ts'
import type { Settings } from '../settings/settings.ts'
import type { VoucherDesk } from '../voucher/desk.ts'
import { setPaused } from '../voucher/pause.ts'
import type { OpenVenue } from './venue/port.ts'

type Opened = {
  readonly startedAtMs: number
  readonly deps: Gateway
  readonly desk: VoucherDesk | null
  readonly venue: Pick<OpenVenue, 'kind'>
  readonly setLogLevel: (level: LogLevel) => void
}

/** What the operator can look at and do. */
export function actParts(
  { clock }: World,
  { startedAtMs, deps, desk, venue, setLogLevel }: Opened,
): ActParts {
  return {
    deps,
    setLogLevel,
    pauseVouchers: desk && ((pause) => setPaused(desk.store, clock, pause)),
    status: async () => {
      const missing = await unready(deps)
      return {
        version: BUILD.version,
        uptimeSeconds: Math.floor((clock.nowMs() - startedAtMs) / 1000),
        venue: venue.kind,
        ready: missing === null,
        ...(missing !== null && { missing }),
        residentBytes: process.memoryUsage.rss(),
        windows: deps.limiter.size(),
        vouchersPaused: desk ? await desk.store.isPaused().catch(() => null) : null,
      }
    },
  }
}

/** The same for whoever bears a key; null where there is none. */
export function guarded(
  parts: ActParts,
  settings: Settings,
  operatorKeys: () => readonly string[],
): ActsParts | null {
  const own = { id: process.pid, records: recordsAt(settings) }
  return operatorKeys().length > 0 ? { ...parts, operatorKeys, process: own } : null
}
