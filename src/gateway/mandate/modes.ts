import { createBoundedMap } from '../../core/bounded-map.ts'
import { parsedJson, type Row, rowsAt } from '../../core/json.ts'
import type { Limits } from '../../core/mandate.ts'
import { defaultModeIn, modeLeverageIn, otherModeExcess } from '../../perp/margin-modes.ts'
import type { MarginMode } from '../../perp/positions.ts'
import type { AnsweredRead } from './figures.ts'
import { excessMeta, mandateExceeded } from './refusals.ts'

/** The default margin modes and leverages of accounts with a mandate, taken from answers that this instance relayed. */
export type KeptModes = Readonly<ReturnType<typeof createKeptModes>>

type KeptRows = { readonly askedAtMs: number; readonly rows: readonly Row[] }

/** Maximum age of rows. */
const AGE_MAX_MS = 10_000
/** Maximum number of rows held for all accounts. */
const HELD_MAX = 100_000

export function createKeptModes({ nowMs }: { readonly nowMs: () => number }) {
  const modes = createBoundedMap<string, KeptRows>(HELD_MAX)
  const leverages = createBoundedMap<string, KeptRows>(HELD_MAX)

  const keepIn = (held: typeof modes) => (read: AnsweredRead, answer: string) => {
    const { accountId, path, askedAtMs } = read
    const rows = rowsAt(parsedJson(answer), 'rows')
    const isNewest = askedAtMs >= (held.get(accountId)?.askedAtMs ?? 0)
    if (isNewest && !path.includes('?')) held.put(accountId, { askedAtMs, rows }, 1 + rows.length)
  }

  function rowsIn(held: typeof modes, accountId: string): readonly Row[] {
    const kept = held.get(accountId)
    return kept && Math.abs(nowMs() - kept.askedAtMs) <= AGE_MAX_MS ? kept.rows : []
  }

  return {
    /** Keeps an answer to `GET /v1/client/margin_modes`. */
    keepModes: keepIn(modes),
    /** Keeps an answer to `GET /v1/client/leverages`. */
    keepLeverages: keepIn(leverages),
    /** Forgets the modes and leverages of an account, because a write of the account changes them. */
    forget: (accountId: string) => {
      modes.drop(accountId)
      leverages.drop(accountId)
    },
    /** The default margin mode of a market; null while unknown. */
    defaultMode: (accountId: string, symbol: string | null): MarginMode | null => {
      return defaultModeIn(rowsIn(modes, accountId), symbol)
    },
    /** The leverage of a margin mode in a market; null while unknown. */
    leverage: (accountId: string, symbol: string | null, mode: MarginMode): number | null => {
      return modeLeverageIn(rowsIn(leverages, accountId), symbol, mode)
    },
  }
}

/**
 * If a leverage limit applies, throws mandate_exceeded for a non-default margin mode whose leverage is unknown or above
 * the limit.
 */
export function assertModeLeverage(
  modes: KeptModes,
  accountId: string,
  limits: Limits,
  { symbol, mode }: { readonly symbol: string | null; readonly mode: MarginMode | null },
): void {
  if (mode === null || modes.defaultMode(accountId, symbol) === mode) return
  const found = otherModeExcess(limits, modes.leverage(accountId, symbol, mode))
  if (found === 'unknown') throw mandateExceeded({ reason: 'unknown', next: READ_MODES })
  const [first] = found
  if (first) throw mandateExceeded(excessMeta(first))
}

const READ_MODES =
  'Relay GET /v1/client/margin_modes and GET /v1/client/leverages first: an order in another margin mode than the default of its market counts at the leverage of that mode. The answers count for ten seconds.'
