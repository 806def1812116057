import { worthOf } from '../../engine/markets.ts'
import type { TakeoverRow } from '../../engine/records/vaults.ts'
import type { Market } from '../../engine/state.ts'
import { ONE } from '../../engine/units.ts'
import type { Vault } from '../../engine/vaults/vault.ts'
import type { Floor } from '../../exchange/floor.ts'
import { pageOf, queryText } from '../../wire/page.ts'
import type { VenueCall } from '../../wire/row.ts'
import { amountOf, priceOf, quantityOf, rateOf } from '../figures.ts'

/** A page of the liquidations that a vault took part in, the latest first. */
export function takeoverPage({ engine, vaults }: Floor, vault: Vault, { query }: VenueCall) {
  const { markets } = engine.world.exchange
  const symbol = queryText(query, 'symbol')
  const isAsked = ({ market }: TakeoverRow['parts'][number]) =>
    symbol === null || markets[market]?.spec.symbol === symbol
  const chosen = vaults.of(vault).takeovers.filter(({ parts }) => parts.some(isAsked))
  const { meta, rows } = pageOf(chosen.toReversed(), query)
  return {
    meta,
    rows: rows.map(({ id, atMs, kind, parts }) => ({
      liquidation_id: id,
      timestamp: atMs,
      type: kind,
      // Liquidated positions are handed to whoever has room; those of the insurance fund are asked for.
      assigned: kind === 'liquidated' ? 1 : 0,
      positions_by_perp: parts.flatMap((part) => partRow(part, markets[part.market])),
    })),
  }
}

function partRow({ quantity, price, fee }: TakeoverRow['parts'][number], market?: Market) {
  if (!market) return []
  const { spec } = market
  const worth = worthOf(spec, price, quantity)
  return [
    {
      abs_liquidator_fee: amountOf(fee),
      cost_position_transfer: amountOf(worth),
      liquidator_fee: rateOf(Math.round((fee / Math.abs(worth)) * ONE)),
      position_qty: quantityOf(spec, quantity),
      symbol: spec.symbol,
      transfer_price: priceOf(spec, price),
    },
  ]
}
