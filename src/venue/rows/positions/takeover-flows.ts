import { worthOf } from '../../engine/markets.ts'
import type { Market } from '../../engine/state.ts'
import type { Seat } from '../../exchange/seat.ts'

/** What changed a position without a trade: steps bought less sold, what they cost, and fees. Micro-USDC. */
type Flow = { readonly bought: number; readonly paid: number; readonly fees: number }

/** What liquidations took from an account's position in a market since a time, or gave to it. */
export function takeoverFlow(seat: Seat, market: Market, fromMs: number): Flow {
  let [bought, paid, fees] = [0, 0, 0]
  for (const part of partsOf(seat, market, fromMs)) {
    bought += part.moved
    paid += worthOf(market.spec, part.price, part.moved)
    fees += part.fees
  }
  return { bought, paid, fees }
}

function partsOf({ account, liquidations }: Seat, market: Market, fromMs: number) {
  return liquidations
    .filter(({ atMs }) => atMs >= fromMs)
    .flatMap(({ account: owner, takeovers }) =>
      takeovers
        .filter((part) => part.market === market.number)
        .filter(({ to }) => owner === account.number || to === account.number)
        .map(({ quantity, price, liquidatorFee, fundFee }) =>
          owner === account.number
            ? { moved: -quantity, price, fees: liquidatorFee + fundFee }
            : { moved: quantity, price, fees: 0 },
        ),
    )
}
