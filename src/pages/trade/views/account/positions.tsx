import { absolute } from '../../../../core/decimals.ts'
import { amountText, divided, times } from '../../../../perp/amounts.ts'
import { changeTone, fill, fixedText, percent, signed } from '../../../common/format.ts'
import { positionFunding } from '../../account/past.ts'
import { type AccountPosition, openingMargin, positionKey } from '../../account/rows.ts'
import { heldPositions } from '../../account/state.ts'
import { symbol } from '../../market/state.ts'
import { A } from '../../messages/account.ts'
import { M } from '../../messages/page.ts'
import { F } from '../../messages/ticket.ts'
import { askAll } from '../../orders/all.ts'
import { closeHeldPosition, reversePosition } from '../../orders/commands.ts'
import { priceText, sizeText, symbolBase } from '../../orders/text.ts'
import { WriteButton } from '../parts/act.tsx'
import { askToClose } from './close-dialog.tsx'
import { listComponent, MarketName } from './list-table.tsx'
import { askMargin } from './margin-dialog.tsx'
import { protect } from './protect-dialog.tsx'
import { Protection } from './protection.tsx'

const H = A.lists.head

/** The open positions, which can be closed partly or completely. */
export const PositionRows = listComponent('positions', heldPositions, {
  columns: [
    [
      H.market,
      ({ symbol, size, leverage, isIsolated }) => (
        <>
          <MarketName symbol={symbol} />{' '}
          <span class={size > 0n ? 'up' : 'down'}>{size > 0n ? M.long : M.short}</span>
          <small>
            {leverage}× {isIsolated ? F.isolated : F.cross}
          </small>
        </>
      ),
    ],
    [
      H.sizeValue,
      ({ symbol, size, mark }) =>
        two(sizeText(symbol, absolute(size)), fixedText(times(absolute(size), mark), 2)),
      ({ size }) => ({ 'data-size': amountText(size) }),
    ],
    [
      H.entryMark,
      ({ symbol, entry, mark }) => two(priceText(symbol, entry), priceText(symbol, mark)),
    ],
    [
      H.liquidation,
      ({ symbol, liquidation, mark }) =>
        liquidation > 0n
          ? two(priceText(symbol, liquidation), percent(divided(liquidation - mark, mark), 1))
          : two(F.noLiquidation, ''),
      ({ liquidation }) => ({
        class: liquidation > 0n ? 'warn' : 'quiet',
        title: A.lists.distanceWhy,
      }),
    ],
    [
      H.pnlRoe,
      (row) =>
        two(signed(row.unrealized, 2), percent(divided(row.unrealized, openingMargin(row)), 1)),
      ({ unrealized }) => ({
        class: changeTone(unrealized, 2),
        'data-pnl': amountText(unrealized),
      }),
    ],
    [
      H.marginUnsettled,
      (row) => (
        <>
          {two(fixedText(openingMargin(row), 2), signed(row.unsettled, 2))}
          {row.isIsolated && <MoveMargin row={row} />}
        </>
      ),
      () => ({ title: A.lists.unsettledWhy }),
    ],
    [
      H.fundingFees,
      (row) => two(fundingText(row), signed(-row.dayFees, 2)),
      (row) => ({
        title: positionFunding(row) === null ? A.lists.fundingUnknown : A.lists.fundingWhy,
      }),
    ],
    [H.legs, (row) => <Protection position={row} />, () => ({ 'data-legs': true }), 'text'],
    [H.actions, (row) => <Actions row={row} />, () => ({ class: 'actions' })],
  ],
  keyOf: positionKey,
  attributesOf: ({ symbol, isIsolated }) => ({
    'data-symbol': symbol,
    'data-mode': isIsolated ? 'ISOLATED' : 'CROSS',
  }),
})

/** A text above a smaller text. */
function two(first: string, second: string) {
  return (
    <>
      <span>{first}</span>
      <small>{second}</small>
    </>
  )
}

function fundingText(row: AccountPosition): string {
  const funding = positionFunding(row)
  return funding === null ? M.none : signed(funding, 2)
}

/** The button that closes every position at the market, if there are several. */
export function ClosePositions() {
  const rows = heldPositions.value
  if (rows.length < 2) return null
  return (
    <WriteButton onPress={() => askAll({ kind: 'positions', rows })}>
      {A.lists.closeEvery}
    </WriteButton>
  )
}

function MoveMargin({ row }: Shown) {
  return (
    <WriteButton
      class="link"
      name={fill(A.margin.moveOf, { base: symbolBase(row.symbol) })}
      onPress={() => askMargin(row)}
    >
      ±
    </WriteButton>
  )
}

type Shown = { readonly row: AccountPosition }

function ProtectAct({ row }: Shown) {
  return (
    <WriteButton
      name={fill(A.lists.protectName, { base: symbolBase(row.symbol) })}
      onPress={() => protect(row)}
    >
      {A.lists.protect}
    </WriteButton>
  )
}

function CloseAct({ row }: Shown) {
  return (
    <WriteButton
      name={fill(A.lists.closePartOf, { base: symbolBase(row.symbol) })}
      onPress={() => askToClose(row)}
    >
      {A.lists.closePart}
    </WriteButton>
  )
}

function Actions({ row }: Shown) {
  const { lists } = A
  const base = symbolBase(row.symbol)
  return (
    <div>
      <ProtectAct row={row} />
      <WriteButton
        name={fill(lists.reverseOf, { base })}
        title={lists.reverseWhy}
        onPress={() => reversePosition(row)}
      >
        {lists.reverse}
      </WriteButton>
      <CloseAct row={row} />
      <WriteButton
        name={fill(lists.closeMarketOf, { base })}
        onPress={() => closeHeldPosition(row, absolute(row.size), null)}
      >
        {lists.closeAll}
      </WriteButton>
    </div>
  )
}

/** The positions in the shown market, for layouts without the lists: their PnL, and buttons that protect and close them. */
export function HeldPositions() {
  const rows = heldPositions.value.filter((each) => each.symbol === symbol.value)
  return (
    <>
      {rows.map((row) => (
        <HeldRow key={row.isIsolated} row={row} isAlone={rows.length === 1} />
      ))}
    </>
  )
}

function HeldRow({ row, isAlone }: Shown & { readonly isAlone: boolean }) {
  const { size, unrealized, isIsolated } = row
  return (
    <div class="held">
      <p>
        <span>
          <span class={size > 0n ? 'up' : 'down'}>{size > 0n ? M.long : M.short}</span>{' '}
          {sizeText(row.symbol, absolute(size))} {symbolBase(row.symbol)}
          {!isAlone && ` ${isIsolated ? F.isolated : F.cross}`}
        </span>
        <span class={changeTone(unrealized, 2)}>{signed(unrealized, 2)} USDC</span>
      </p>
      <ProtectAct row={row} />
      <CloseAct row={row} />
    </div>
  )
}
