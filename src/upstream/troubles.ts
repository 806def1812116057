import type { Log, LogFields, VenueHost } from '../core/ports.ts'
import { LOGGING } from '../spec/operator/logging.ts'

/** Tells the operator of a host's troubles in few lines: the first of each kind at once, repeats by their number. */
export type Troubles = {
  readonly failed: (host: VenueHost, fault: string, fields: LogFields) => void
  readonly slow: (host: VenueHost, fields: LogFields) => void
  /** An answer came: if calls had failed before, the line says how many and for how long. */
  readonly over: (host: VenueHost) => void
}

type Parts = { readonly log: Log; readonly elapsedMs: () => number }

type Outage = { readonly sinceMs: number; failures: number }

/** Troubles of an upstream that has had none yet. */
export function createTroubles({ log, elapsedMs }: Parts): Troubles {
  const folds = new Map<string, { lineAtMs: number; repeated: number }>()
  const outages = new Map<VenueHost, Outage>()

  /** Writes a line of a kind, unless one was written just now; then it is counted for the next. */
  function folded(kind: string, write: (more: LogFields) => void): boolean {
    const nowMs = elapsedMs()
    const fold = folds.get(kind)
    if (fold && nowMs - fold.lineAtMs < LOGGING.foldMs) {
      fold.repeated += 1
      return false
    }
    write(fold && fold.repeated > 0 ? { repeated: fold.repeated } : {})
    folds.set(kind, { lineAtMs: nowMs, repeated: 0 })
    return true
  }

  function failed(host: VenueHost, fault: string, fields: LogFields): void {
    const outage = outages.get(host) ?? { sinceMs: elapsedMs(), failures: 0 }
    outage.failures += 1
    outages.set(host, outage)
    folded(`${host} ${fault}`, (more) => log.warn('upstream_failed', { ...fields, ...more }))
  }

  function over(host: VenueHost): void {
    const outage = outages.get(host)
    if (!outage) return
    const { failures, sinceMs } = outage
    const seconds = Math.round((elapsedMs() - sinceMs) / 1000)
    // Folded as well: where every other call fails, that is one trouble and not many.
    const told = folded(`${host} over`, () =>
      log.info('upstream_recovered', { host, failures, seconds }),
    )
    if (told) outages.delete(host)
  }

  return {
    failed,
    slow: (host, fields) => {
      folded(`${host} slow`, (more) => log.warn('upstream_slow', { ...fields, ...more }))
    },
    over,
  }
}
