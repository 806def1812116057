import type { TapeFunding, TapePrice } from '../../tape/records.ts'
import { ONE } from '../base/units.ts'
import type { MarketSpec } from '../state/market-spec.ts'
import type { Scene } from '../state/world.ts'
import { ticksOf } from './scale.ts'

/** What a market's tape shows anew: index and mark in ticks, the estimated funding rate with eight decimals. */
export type Move = { readonly index?: number; readonly mark?: number; readonly rate?: number }

/** The recorded price or rate of a market. */
export function moveOf(record: TapePrice | TapeFunding, spec: MarketSpec): Move {
  if (record.kind !== 'funding') return { [record.kind]: ticksOf(record.price, spec) }
  const { value, decimals } = record.rate
  return { rate: Math.round((value * ONE) / 10 ** decimals) }
}

/** Takes what a market's tape shows anew. Answers whether its prices move: a frozen market keeps them. */
export function followTape(scene: Scene, { index, mark, rate }: Move, atMs: number): boolean {
  scene.recordedRate = rate ?? scene.recordedRate
  if (atMs < scene.overrides.frozenUntilMs) return false
  scene.recordedMark = mark ?? scene.recordedMark
  scene.index = index === undefined ? scene.index : index * scene.overrides.scale
  scene.steppedAtMs = atMs
  return index !== undefined || mark !== undefined
}
