import { absolute } from '../../../../core/decimals.ts'
import { amountText, product, quotient } from '../../../../perp/amounts.ts'
import { changeTone, filledTemplate, fixedText, percent, signed } from '../../../common/format.ts'
import { distanceToLiquidation } from '../../account/liquidation-distance.ts'
import { positionFunding } from '../../account/position-funding.ts'
import { type AccountPosition, openingMargin, positionKey } from '../../account/rows.ts'
import { heldPositions } from '../../account/state.ts'
import { symbol } from '../../market/state.ts'
import { ACCOUNT_TEXTS } from '../../messages/account.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { TICKET_TEXTS } from '../../messages/ticket.ts'
import { askBulkAction } from '../../orders/all.ts'
import { closeHeldPosition, reversePosition } from '../../orders/commands.ts'
import { REDUCTION } from '../../orders/pending-writes.ts'
import { priceText, sizeText, symbolBase } from '../../orders/text.ts'
import { WriteButton } from '../parts/act.tsx'
import { askToClose } from './close-dialog.tsx'
import { listComponent, listTools, MarketName, two } from './list-table.tsx'
import { askMargin } from './margin-dialog.tsx'
import { protect } from './protect-dialog.tsx'
import { Protection } from './protection.tsx'

const HEADINGS = ACCOUNT_TEXTS.lists.head

/** The open positions, which can be closed partly or completely. */
export const PositionRows = listComponent('positions', heldPositions, {
  empty: ACCOUNT_TEXTS.lists.empty.positions,
  columns: [
    [
      HEADINGS.market,
      ({ symbol, size, leverage, isIsolated }) => (
        <>
          <MarketName symbol={symbol} />{' '}
          <span class={size > 0n ? 'up' : 'down'}>
            {size > 0n ? PAGE_TEXTS.long : PAGE_TEXTS.short}
          </span>
          <small>
            {leverage}× {isIsolated ? TICKET_TEXTS.isolated : TICKET_TEXTS.cross}
          </small>
        </>
      ),
    ],
    [
      HEADINGS.sizeValue,
      ({ symbol, size, mark }) =>
        two(sizeText(symbol, absolute(size)), fixedText(product(absolute(size), mark), 2)),
      ({ size }) => ({ 'data-size': amountText(size) }),
    ],
    [
      HEADINGS.entryMark,
      ({ symbol, entry, mark }) => two(priceText(symbol, entry), priceText(symbol, mark)),
    ],
    [
      HEADINGS.liquidation,
      (row) =>
        row.liquidation > 0n ? (
          <>
            <span>{priceText(row.symbol, row.liquidation)}</span>
            {listTools.value && <listTools.value.LiquidationDistance row={row} />}
          </>
        ) : (
          TICKET_TEXTS.noLiquidation
        ),
      ({ liquidation }) => ({
        class: liquidation > 0n ? 'warn' : 'quiet',
      }),
    ],
    [
      HEADINGS.pnlRoe,
      (row) =>
        two(signed(row.unrealized, 2), percent(quotient(row.unrealized, openingMargin(row)), 1)),
      ({ unrealized }) => ({
        class: changeTone(unrealized, 2),
        'data-pnl': amountText(unrealized),
      }),
    ],
    [
      HEADINGS.marginUnsettled,
      (row) => (
        <>
          {two(fixedText(openingMargin(row), 2), signed(row.unsettled, 2))}
          {row.isIsolated && <MoveMargin row={row} />}
        </>
      ),
      () => ({ title: ACCOUNT_TEXTS.lists.unsettledWhy }),
    ],
    [
      HEADINGS.fundingFees,
      (row) => two(fundingText(row), signed(-row.dayFees, 2)),
      (row) => ({
        title:
          positionFunding(row) === null
            ? ACCOUNT_TEXTS.lists.fundingUnknown
            : ACCOUNT_TEXTS.lists.fundingWhy,
      }),
    ],
    [
      HEADINGS.legs,
      (row) => (
        <>
          <Protection position={row} />
          {listTools.value && <listTools.value.StopWarning row={row} onPress={protect} />}
        </>
      ),
      () => ({ 'data-legs': true }),
      'text',
    ],
    [HEADINGS.actions, (row) => <Actions row={row} />, () => ({ class: 'actions' })],
  ],
  sortValues: (row) => [
    symbolBase(row.symbol),
    product(absolute(row.size), row.mark),
    row.entry,
    distanceToLiquidation(row),
    row.unrealized,
    openingMargin(row),
    positionFunding(row),
  ],
  totals: [
    [HEADINGS.value, ({ size, mark }) => product(absolute(size), mark)],
    [HEADINGS.pnl, ({ unrealized }) => unrealized, (total) => signed(total, 2)],
    [HEADINGS.margin, openingMargin],
  ],
  keyOf: positionKey,
  attributesOf: ({ symbol, isIsolated }) => ({
    'data-symbol': symbol,
    'data-mode': isIsolated ? 'ISOLATED' : 'CROSS',
  }),
})

function fundingText(row: AccountPosition): string {
  const funding = positionFunding(row)
  return funding === null ? PAGE_TEXTS.none : signed(funding, 2)
}

/** The button that closes every position at the market, if there are several. */
export function ClosePositions() {
  const rows = heldPositions.value
  if (rows.length < 2) return null
  return (
    <WriteButton exit={REDUCTION} onPress={() => askBulkAction({ kind: 'positions', rows })}>
      {ACCOUNT_TEXTS.lists.closeEvery}
    </WriteButton>
  )
}

function MoveMargin({ row }: Shown) {
  return (
    <WriteButton
      class="link"
      name={filledTemplate(ACCOUNT_TEXTS.margin.moveOf, { base: symbolBase(row.symbol) })}
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
      name={filledTemplate(ACCOUNT_TEXTS.lists.protectName, { base: symbolBase(row.symbol) })}
      exit={REDUCTION}
      onPress={() => protect(row)}
    >
      {ACCOUNT_TEXTS.lists.protect}
    </WriteButton>
  )
}

function CloseAct({ row }: Shown) {
  return (
    <WriteButton
      name={filledTemplate(ACCOUNT_TEXTS.lists.closePartOf, { base: symbolBase(row.symbol) })}
      exit={REDUCTION}
      onPress={() => askToClose(row)}
    >
      {ACCOUNT_TEXTS.lists.closePart}
    </WriteButton>
  )
}

function Actions({ row }: Shown) {
  const { lists } = ACCOUNT_TEXTS
  const base = symbolBase(row.symbol)
  return (
    <div>
      <ProtectAct row={row} />
      <WriteButton
        name={filledTemplate(lists.reverseOf, { base })}
        title={lists.reverseWhy}
        onPress={() => reversePosition(row)}
      >
        {lists.reverse}
      </WriteButton>
      <CloseAct row={row} />
      <WriteButton
        name={filledTemplate(lists.closeMarketOf, { base })}
        exit={REDUCTION}
        onPress={() => closeHeldPosition(row, absolute(row.size), null)}
      >
        {lists.closeAll}
      </WriteButton>
    </div>
  )
}

/**
 * The positions in the shown market, for layouts without the lists. Each has its PnL, and buttons to protect and to
 * close it.
 */
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
          <span class={size > 0n ? 'up' : 'down'}>
            {size > 0n ? PAGE_TEXTS.long : PAGE_TEXTS.short}
          </span>{' '}
          {sizeText(row.symbol, absolute(size))} {symbolBase(row.symbol)}
          {!isAlone && ` ${isIsolated ? TICKET_TEXTS.isolated : TICKET_TEXTS.cross}`}
        </span>
        <span class={changeTone(unrealized, 2)}>{signed(unrealized, 2)} USDC</span>
      </p>
      <ProtectAct row={row} />
      <CloseAct row={row} />
    </div>
  )
}
