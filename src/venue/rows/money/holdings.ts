import { marginOf } from '../../engine/margin/margin.ts'
import { balanceOf, USDC } from '../../engine/money/balances.ts'
import { frozenOf } from '../../engine/money/move.ts'
import type { Exposure } from '../../engine/state.ts'
import type { Seat } from '../../exchange/seat.ts'
import type { Profile } from '../../exchange/state.ts'
import { tokenNumber } from '../../exchange/tokens.ts'
import { COLLATERALS } from '../../market/chains.ts'
import { amountOf } from '../figures.ts'

/**
 * Rows of GET /v1/client/holding: USDC, and every other token that the account has, or all there are. What is on its way
 * out is frozen, and no part of the holding any more.
 */
export function holdingRows(seat: Seat, profile: Profile, isAll: boolean) {
  const { number } = seat.account
  const { moves } = seat.engine.world.exchange
  // Brings up to date what open orders hold back.
  marginOf(seat.account)
  return COLLATERALS.map(({ token }) => token).flatMap((token) => {
    const holding = balanceOf(seat.account, token)
    const frozen = frozenOf(moves, number, token)
    if (!isAll && token !== USDC && holding === 0 && frozen === 0) return []
    return {
      updated_time: updatedAtOf(seat, profile, token),
      token,
      holding: tokenNumber(token, holding),
      frozen: tokenNumber(token, frozen),
      pending_short: 0,
      isolated_margin: isolatedOf(seat, token, ({ margin }) => margin),
      isolated_order_frozen: isolatedOf(seat, token, (exposure) => exposure.frozen),
    }
  })
}

/** Isolated positions are backed by USDC alone. */
function isolatedOf({ account }: Seat, token: string, figureOf: (exposure: Exposure) => number) {
  if (token !== USDC) return 0
  return amountOf(account.used.reduce((total, exposure) => total + figureOf(exposure), 0))
}

/** When money of the token last came, went or was settled; before that, when the account was opened. */
function updatedAtOf({ ledger }: Seat, { createdAtMs }: Profile, token: string): number {
  const ofToken = (row: { readonly token: string }) => row.token === token
  return Math.max(
    createdAtMs,
    ledger.assets.findLast(ofToken)?.updatedAtMs ?? 0,
    ledger.transfers.findLast(ofToken)?.updatedAtMs ?? 0,
    token === USDC ? (ledger.settlements.at(-1)?.atMs ?? 0) : 0,
  )
}
