import { SECOND_MS } from '../../contract/durations.ts'
import type { FailureMeta } from '../../core/failure.ts'
import type { Limits } from '../../core/mandate.ts'
import type { AccountFigures } from '../../perp/account-exposure.ts'
import {
  CONDITIONAL_UNREAD_STEP,
  limitFigures,
  NO_READS,
  requiredReads,
  type UnknownFigures,
} from '../../perp/limit-figures.ts'
import type { MarketBound } from '../../perp/order-worst-case.ts'
import type { KeptAccount } from './figures.ts'
import { mandateExceeded } from './refusals.ts'

/**
 * The figures that the limits need, from `kept` reads (null without positions). Throws mandate_exceeded while they are
 * unknown.
 */
export function neededFigures(
  limits: Limits,
  kept: KeptAccount | null,
  bounds: ReadonlyMap<string, MarketBound>,
): AccountFigures {
  const { figures, unknown } = limitFigures(limits, kept ?? NO_READS, bounds)
  if (figures) return figures
  throw mandateExceeded({ reason: 'unknown', next: nextStep(limits, kept, unknown) })
}

function nextStep(limits: Limits, kept: KeptAccount | null, unknown: UnknownFigures): string {
  if (unknown === 'bound') return CANCEL_WAITING
  return unknown === 'waiting' && kept?.isWaitingLeftOut
    ? CONDITIONAL_UNREAD_STEP
    : readFirst(limits)
}

function readFirst(limits: Limits): string {
  return `Relay ${readsText(limits)} first, as the tool list_positions does: the figures count for ten seconds.`
}

/**
 * The next step for an order that only recently sent orders push beyond a limit: wait, then read the figures again.
 * Recently sent orders count in addition to the figures, although the figures may already include these orders. `ms`:
 * the wait until only the figures count.
 */
export function readAfterMs(limits: Limits, ms: number): FailureMeta {
  const retryAfterSeconds = Math.ceil(ms / SECOND_MS) + 1
  const next = `It may fit: an order that was just sent counts beside the figures. Wait ${retryAfterSeconds} seconds, relay ${readsText(limits)}, and send it again.`
  return { retryAfterSeconds, next }
}

function readsText(limits: Limits): string {
  return requiredReads(limits)
    .map((path) => `GET ${path}`)
    .join(' and then ')
}

const CANCEL_WAITING =
  'The worst case of a waiting conditional order is unknown, because its market has no price range now. Cancel it, or only reduce.'
