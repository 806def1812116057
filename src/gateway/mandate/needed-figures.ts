import type { Limits } from '../../core/mandate.ts'
import type { AccountFigures } from '../../perp/exposure.ts'
import {
  type AccountReads,
  limitFigures,
  NO_READS,
  requiredReads,
} from '../../perp/limit-figures.ts'
import type { MarketBound } from '../../perp/worst-case.ts'
import { exceeded } from './refusals.ts'

/** The figures that limits need, from kept reads; `kept` is null without positions. Throws mandate_exceeded while they are unknown. */
export function neededFigures(
  limits: Limits,
  kept: AccountReads | null,
  bounds: ReadonlyMap<string, MarketBound>,
): AccountFigures {
  const { figures, unknown } = limitFigures(limits, kept ?? NO_READS, bounds)
  if (figures) return figures
  throw exceeded({
    reason: 'unknown',
    next: unknown === 'bound' ? CANCEL_WAITING : readFirst(limits),
  })
}

function readFirst(limits: Limits): string {
  const reads = requiredReads(limits).map((path) => `GET ${path}`)
  return `Relay ${reads.join(' and then ')} first, as the tool list_positions does: the figures count for ten seconds.`
}

const CANCEL_WAITING =
  'The worst case of a waiting conditional order is not known, because its market has no price range now. Cancel it, or only reduce.'
