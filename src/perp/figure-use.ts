import { larger } from '../core/decimals.ts'
import type { Used } from '../core/spending.ts'
import {
  type AccountFigures,
  marketExposure,
  marketSides,
  totalMicros,
  unseenExposures,
} from './exposure.ts'
import { leverageRatio, lostMicros } from './limits.ts'

/** The use of the limits that figures of an account decide. */
export type FigureUse = {
  /** The largest exposure in a market, with writes that no figure shows yet. */
  readonly positionMicros: bigint
  /** The loss of 24 hours; null while it is unknown. */
  readonly lossMicros: bigint
  /** To two places and rounded up; null for an account of no value with positions. */
  readonly leverage: number | null
}

/** The use of position, loss and leverage, by figures of the account. */
export function figureUse(figures: AccountFigures, used: Used): FigureUse {
  const { valueMicros } = figures
  const sides = marketSides([...figures.exposures, ...unseenExposures(used)])
  const total = totalMicros(sides)
  const ratio = valueMicros > 0n ? leverageRatio(total, valueMicros) : null
  return {
    positionMicros: sides.values().map(marketExposure).reduce(larger, 0n),
    lossMicros: lostMicros(figures),
    leverage: total === 0n ? 0 : ratio,
  }
}
