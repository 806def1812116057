import type { Limits } from '../../core/mandate.ts'
import type { Clock } from '../../core/ports.ts'
import { type AccountFigures, withDayResult, withWaiting } from '../../perp/exposure.ts'
import { needsDayResult, needsExposure, needsFigures } from '../../perp/limits.ts'
import { FIGURE_READS } from '../../perp/waiting.ts'
import type { MarketBound } from '../../perp/worst-case.ts'
import type { KeptAccount, KeptFigures } from './figures.ts'
import { exceeded } from './refusals.ts'

type Known = {
  readonly figures: KeptFigures
  readonly clock: Clock
}

/** The figures that limits need; null if they need none. Throws mandate_exceeded while they are not known. */
export function neededFigures(
  { figures, clock }: Known,
  accountId: string,
  limits: Limits,
): KeptAccount | null {
  if (!needsFigures(limits)) return null
  const kept = figures.find(accountId, clock.nowMs())
  const waiting = needsExposure(limits) ? kept?.waiting : []
  const known = needsDayResult(limits) ? kept && withDay(kept) : kept?.figures
  if (kept && known && waiting) return { ...kept, figures: known, waiting }
  throw exceeded({
    reason: 'unknown',
    next: `Relay ${figureReads(limits)} first, as the tool list_positions does: the figures count for ten seconds.`,
  })
}

/** Kept figures with the result of the day, as far as it is known. */
export function withDay({ figures, day }: KeptAccount): AccountFigures {
  return withDayResult(figures, day)
}

function figureReads(limits: Limits): string {
  const [, positions] = FIGURE_READS
  const paths = needsExposure(limits) ? FIGURE_READS : [positions]
  return paths.map((path) => `GET ${path}`).join(' and then ')
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
