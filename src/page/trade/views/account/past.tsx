import { dayTime, fixed, percent, signed, toneOf } from '../../../common/format.ts'
import { fills, fundings, history } from '../../account/past.ts'
import { A } from '../../messages/account.ts'
import { M } from '../../messages/page.ts'
import { baseOf, priceText, sizeText } from '../../orders/text.ts'
import { OrderCells } from './orders.tsx'
import { Cell, type Known, ListTable } from './table.tsx'

const H = A.lists.head

/** Orders that are over. */
export function HistoryRows({ isKnown }: Known) {
  const head = [H.market, H.side, H.type, H.price, H.size, H.filled, H.average, H.status, H.time]
  return (
    <ListTable list="history" head={head} isKnown={isKnown} count={history.value.length}>
      {history.value.map((row) => (
        <tr key={row.id} data-order={row.id}>
          <OrderCells row={row} />
          <Cell name={H.price}>
            {row.price === null ? M.none : priceText(row.symbol, row.price)}
          </Cell>
          <Cell name={H.size}>{sizeText(row.symbol, row.size)}</Cell>
          <Cell name={H.filled}>{sizeText(row.symbol, row.executed)}</Cell>
          <Cell name={H.average}>
            {row.average === 0n ? M.none : priceText(row.symbol, row.average)}
          </Cell>
          <Cell name={H.status}>{A.status[row.status] ?? row.status}</Cell>
          <Cell name={H.time} class="quiet">
            {dayTime(row.atMs)}
          </Cell>
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
          <Cell name={H.market}>{baseOf(symbol)}</Cell>
          <Cell name={H.side} class={side === 'BUY' ? 'up' : 'down'}>
            {M.side[side]}
          </Cell>
          <Cell name={H.price}>{priceText(symbol, price)}</Cell>
          <Cell name={H.size}>{sizeText(symbol, size)}</Cell>
          <Cell name={H.fee}>
            {fixed(fee, 4)}
            {isMaker && <span class="quiet"> {A.lists.maker}</span>}
          </Cell>
          <Cell name={H.pnl} class={toneOf(pnl, 2)}>
            {signed(pnl, 2)}
          </Cell>
          <Cell name={H.time} class="quiet">
            {dayTime(atMs)}
          </Cell>
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
          <Cell name={H.market}>{baseOf(symbol)}</Cell>
          <Cell name={H.rate}>{percent(rate, 4)}</Cell>
          <Cell name={H.amount} class={toneOf(amount, 6)}>
            {signed(amount, 6)}
          </Cell>
          <Cell name={H.time} class="quiet">
            {dayTime(atMs)}
          </Cell>
        </tr>
      ))}
    </ListTable>
  )
}
