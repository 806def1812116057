import { textOf } from '../../common/exact-json.ts'
import { fill, fixed } from '../../common/format.ts'
import { read } from '../account/relay.ts'
import { isIsolatedIn, positionsOf } from '../account/rows.ts'
import { leveragePath } from '../account/state.ts'
import { A } from '../messages/account.ts'
import { M } from '../messages/page.ts'
import { F } from '../messages/ticket.ts'
import { type OutcomeOf, settled } from './outcomes.ts'
import { baseOf, priceText } from './text.ts'

const O = A.outcomes
/** A cent: positions move their own margin while it is looked at only by being closed. */
const NEAR = 1_000_000n

/** The leverage that a market has now, beside the one that was asked for. */
export function leverageOutcome(symbol: string, isIsolated: boolean, wanted: number): OutcomeOf {
  return async (key) => {
    const leverage = await settled(
      async () => Number(textOf(await read(key, leveragePath(symbol, isIsolated)), 'leverage')),
      (found) => found === wanted,
    )
    if (leverage === null) return { kind: 'wait', text: O.unknown }
    const values = { base: baseOf(symbol), leverage: `${leverage}×` }
    return leverage === wanted
      ? { kind: 'good', text: fill(O.leverageSet, values) }
      : { kind: 'bad', text: fill(O.leverageStays, values) }
  }
}

/** The margin mode that a market has now, beside the one that was asked for. */
export function modeOutcome(symbol: string, wanted: boolean): OutcomeOf {
  return async (key) => {
    const isOwn = await settled(
      async () => isIsolatedIn(await read(key, '/v1/client/margin_modes'), symbol),
      (found) => found === wanted,
    )
    if (isOwn === null) return { kind: 'wait', text: O.unknown }
    const values = { base: baseOf(symbol), mode: isOwn ? F.isolated : F.cross }
    return isOwn === wanted
      ? { kind: 'good', text: fill(O.modeSet, values) }
      : { kind: 'bad', text: fill(O.modeStays, values) }
  }
}

/** The margin that an isolated position has now, beside the one that was asked for, and what liquidates it. */
export function marginOutcome(symbol: string, wanted: bigint): OutcomeOf {
  return async (key) => {
    const position = await settled(
      async () =>
        positionsOf(await read(key, '/v1/positions')).find((row) => row.symbol === symbol) ?? null,
      (found) => isNear(found?.margin, wanted),
    )
    if (!position) return { kind: 'wait', text: O.unknown }
    const { margin, liquidation } = position
    const at = liquidation > 0n ? priceText(symbol, liquidation) : M.none
    const values = { base: baseOf(symbol), margin: fixed(margin, 2), liquidation: at }
    return isNear(margin, wanted)
      ? { kind: 'good', text: fill(O.marginSet, values) }
      : { kind: 'bad', text: fill(O.marginStays, values) }
  }
}

function isNear(margin: bigint | undefined, wanted: bigint): boolean {
  return margin !== undefined && margin - wanted < NEAR && wanted - margin < NEAR
}
