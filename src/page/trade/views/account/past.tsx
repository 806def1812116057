import { dayTime, fixed, percent, signed, toneOf } from '../../../common/format.ts'
import { fills, fundings, history } from '../../account/past.ts'
import { A } from '../../messages/account.ts'
import { M } from '../../messages/page.ts'
import { baseOf, priceText, sizeText } from '../../orders/text.ts'
import { OrderCells } from './orders.tsx'
import { type Known, ListTable } from './table.tsx'

const H = A.lists.head

/** Orders that are over. */
export function HistoryRows({ isKnown }: Known) {
  const head = [H.market, H.side, H.type, H.price, H.size, H.filled, H.average, H.status, H.time]
  return (
    <ListTable list="history" head={head} isKnown={isKnown} count={history.value.length}>
      {history.value.map((row) => (
        <tr key={row.id} data-order={row.id}>
          <OrderCells row={row} />
          <td>{row.price === null ? M.none : priceText(row.symbol, row.price)}</td>
          <td>{sizeText(row.symbol, row.size)}</td>
          <td>{sizeText(row.symbol, row.executed)}</td>
          <td>{row.average === 0n ? M.none : priceText(row.symbol, row.average)}</td>
          <td>{M.status[row.status] ?? row.status}</td>
          <td class="quiet">{dayTime(row.atMs)}</td>
        </tr>
      ))}
    </ListTable>
  )
}

/** What was traded. */
export function FillRows({ isKnown }: Known) {
  const head = [H.market, H.side, H.price, H.size, H.fee, H.pnl, H.time]
  return (
    <ListTable list="fills" head={head} isKnown={isKnown} count={fills.value.length}>
      {fills.value.map(({ id, symbol, side, price, size, fee, pnl, isMaker, atMs }) => (
        <tr key={id}>
          <td>{baseOf(symbol)}</td>
          <td class={side === 'BUY' ? 'up' : 'down'}>{M.side[side]}</td>
          <td>{priceText(symbol, price)}</td>
          <td>{sizeText(symbol, size)}</td>
          <td>
            {fixed(fee, 4)}
            {isMaker && <span class="quiet"> {A.lists.maker}</span>}
          </td>
          <td class={toneOf(pnl, 2)}>{signed(pnl, 2)}</td>
          <td class="quiet">{dayTime(atMs)}</td>
        </tr>
      ))}
    </ListTable>
  )
}

/** What positions paid and received for being held. */
export function FundingRows({ isKnown }: Known) {
  const head = [H.market, H.rate, H.amount, H.time]
  return (
    <ListTable list="funding" head={head} isKnown={isKnown} count={fundings.value.length}>
      {fundings.value.map(({ symbol, rate, amount, atMs }) => (
        <tr key={`${symbol} ${atMs}`}>
          <td>{baseOf(symbol)}</td>
          <td>{percent(rate, 4)}</td>
          <td class={toneOf(amount, 6)}>{signed(amount, 6)}</td>
          <td class="quiet">{dayTime(atMs)}</td>
        </tr>
      ))}
    </ListTable>
  )
}
