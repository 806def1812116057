import type { Limits } from '../../core/mandate.ts'
import type { Clock } from '../../core/ports.ts'
import { type AccountFigures, withWaiting } from '../../perp/exposure.ts'
import { needsExposure, needsFigures } from '../../perp/limits.ts'
import { FIGURE_READS } from '../../perp/waiting.ts'
import type { MarketBound } from '../../perp/worst-case.ts'
import type { KeptAccount, KeptFigures } from './figures.ts'
import { exceeded } from './refusals.ts'

/** The figures that limits need; null if they need none. Throws mandate_exceeded while they are not known. */
export function neededFigures(
  { figures, clock }: { readonly figures: KeptFigures; readonly clock: Clock },
  accountId: string,
  limits: Limits,
): KeptAccount | null {
  if (!needsFigures(limits)) return null
  const kept = figures.find(accountId, clock.nowMs())
  if (!needsExposure(limits)) return kept ? { ...kept, waiting: [] } : unread(['/v1/positions'])
  return kept?.waiting ? kept : unread(FIGURE_READS)
}

function unread(paths: readonly string[]): never {
  const reads = paths.map((path) => `GET ${path}`).join(' and then ')
  throw exceeded({
    reason: 'unknown',
    next: `Relay ${reads} first, as the tool list_positions does: the figures count for ten seconds.`,
  })
}

/** The figures with waiting orders. Throws mandate_exceeded where the worst case of one is not known. */
export function figuresWith(
  { figures, waiting }: KeptAccount,
  bounds: ReadonlyMap<string, MarketBound>,
): AccountFigures {
  const whole = withWaiting(figures, waiting ?? [], bounds)
  if (whole) return whole
  throw exceeded({ reason: 'unknown', next: CANCEL_WAITING })
}

const CANCEL_WAITING =
  'The worst case of a waiting conditional order is not known, because its market has no price range now. Cancel it, or only reduce.'
