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

/** An account's use of its position, loss and leverage limits. */
export type FigureUse = {
  /** The largest exposure in one market, including writes that the figures may not show yet. */
  readonly positionMicros: bigint
  /** The loss of the last 24 hours; null while it is unknown. */
  readonly lossMicros: bigint
  /** Rounded up to two decimals; null if the account has positions but no value. */
  readonly leverage: number | null
}

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
