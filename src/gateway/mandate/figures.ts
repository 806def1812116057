import { figuresOf } from '../../core/account-figures.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'
import { parsedJson } from '../../core/json.ts'
import type { AccountFigures } from '../../core/limit-check.ts'

/** Figures of accounts with a mandate, from answers that passed this instance. */
export type KeptFigures = {
  /** Keeps the figures of an answer to GET /v1/positions that was asked for at a wall time. */
  readonly keep: (accountId: string, answer: string, askedAtMs: number) => void
  /** Those of an account, if they are new enough. */
  readonly find: (accountId: string, nowMs: number) => AccountFigures | null
}

/** How old figures may be. */
const AGE_MAX_MS = 10_000
/** How many markets of accounts are held. */
const HELD_MAX = 100_000

export function createKeptFigures(): KeptFigures {
  const held = createBoundedMap<string, AccountFigures>(HELD_MAX)
  return {
    keep: (accountId, answer, askedAtMs) => {
      const figures = figuresOf(parsedJson(answer), askedAtMs)
      const newest = held.get(accountId)?.askedAtMs ?? 0
      if (figures && askedAtMs >= newest) held.put(accountId, figures, 1 + figures.notionals.size)
    },
    find: (accountId, nowMs) => {
      const figures = held.get(accountId)
      return figures && Math.abs(nowMs - figures.askedAtMs) <= AGE_MAX_MS ? figures : null
    },
  }
}
