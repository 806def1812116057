import { signal } from '@preact/signals'
import { Fragment } from 'preact'
import { absolute, divided, onGrid, smaller } from '../../../common/amounts.ts'
import { fill, fixed, percent, signed, textOfExact, toneOf } from '../../../common/format.ts'
import { marginOf, type Position } from '../../account/rows.ts'
import { canTrade } from '../../account/session.ts'
import { positions } from '../../account/state.ts'
import { choose, rules } from '../../market/state.ts'
import { A } from '../../messages/account.ts'
import { M } from '../../messages/page.ts'
import { closePosition } from '../../orders/commands.ts'
import { currentAccount } from '../../orders/current-account.ts'
import { judge } from '../../orders/judge.ts'
import { excessText, type FieldProblem, ruleProblem } from '../../orders/problems.ts'
import { isBusy } from '../../orders/switches.ts'
import { baseOf, inputText, priceText, sizeText, typed } from '../../orders/text.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/form.tsx'
import { type Known, ListTable } from './table.tsx'

const H = A.lists.head
const HEAD = [H.market, H.size, H.entry, H.mark, H.liquidation, H.unrealized, H.actions]

const parting = signal<Position | null>(null)
const partInput = signal('')

/** Open positions, which can be closed in part or whole. */
export function PositionRows({ isKnown }: Known) {
  return (
    <>
      <ListTable list="positions" head={HEAD} isKnown={isKnown} count={positions.value.length}>
        {positions.value.map((row) => (
          <Fragment key={row.symbol}>
            <Row row={row} />
            <Detail row={row} />
          </Fragment>
        ))}
      </ListTable>
      {parting.value && <PartDialog position={parting.value} />}
    </>
  )
}

function Row({ row }: { readonly row: Position }) {
  const { symbol, size, entry, mark, liquidation, unrealized, leverage, isIsolated } = row
  const base = baseOf(symbol)
  const isStill = isBusy.value || !canTrade.value
  return (
    <tr data-symbol={symbol}>
      <td>
        <button type="button" class="name" onClick={() => choose(symbol)}>
          {base}
        </button>{' '}
        <span class={size > 0n ? 'up' : 'down'}>{size > 0n ? M.long : M.short}</span>{' '}
        <span class="quiet">
          {leverage}× {isIsolated && M.isolated}
        </span>
      </td>
      <td data-size={textOfExact(size)}>{sizeText(symbol, absolute(size))}</td>
      <td>{priceText(symbol, entry)}</td>
      <td>{priceText(symbol, mark)}</td>
      <td class="warn">{liquidation > 0n ? priceText(symbol, liquidation) : M.none}</td>
      <td class={toneOf(unrealized, 2)} data-pnl={textOfExact(unrealized)}>
        {signed(unrealized, 2)} <small>{percent(divided(unrealized, marginOf(row)), 1)}</small>
      </td>
      <td class="actions">
        <button
          type="button"
          disabled={isStill}
          aria-label={fill(A.lists.closePartOf, { base })}
          onClick={() => part(row)}
        >
          {A.lists.closePart}
        </button>
        <button
          type="button"
          disabled={isStill}
          aria-label={fill(A.lists.closeOf, { base })}
          onClick={() => void closePosition(row, absolute(size))}
        >
          {A.lists.closeAll}
        </button>
      </td>
    </tr>
  )
}

/** What a position has paid, and what settling it now would pay. */
function Detail({ row }: { readonly row: Position }) {
  const { funding, dayFees, unsettled } = row
  const figures = [
    [A.lists.margin, fixed(marginOf(row), 2)],
    [A.lists.fundingUnsettled, signed(-funding, 2)],
    [A.lists.dayFees, signed(-dayFees, 2)],
    [A.lists.unsettled, signed(unsettled, 2)],
  ] as const
  return (
    <tr class="detail">
      <td colSpan={HEAD.length} title={A.lists.unsettledWhy}>
        {figures.map(([name, value]) => (
          <span key={name}>
            {name} {value}
          </span>
        ))}
      </td>
    </tr>
  )
}

function part(row: Position): void {
  const rule = rules.peek().get(row.symbol)
  const half = onGrid(absolute(row.size) / 2n, rule?.step ?? 1n, 0n, 'floor')
  partInput.value = inputText(half)
  parting.value = row
}

function PartDialog({ position }: { readonly position: Position }) {
  const size = typed(partInput.value)
  const problem = size === null ? null : partProblem(position, size)
  const isBad = size === null || problem !== null
  const shut = () => {
    parting.value = null
  }
  return (
    <Dialog title={fill(A.lists.closePartOf, { base: baseOf(position.symbol) })} onClose={shut}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (size === null || isBad) return
          shut()
          void closePosition(position, size)
        }}
      >
        <Field
          label={A.lists.partSize}
          input={partInput}
          suffix={baseOf(position.symbol)}
          problem={problem}
        />
        <p class="row end">
          <button type="button" onClick={shut}>
            {M.cancel}
          </button>
          <button type="submit" class="primary" disabled={isBad}>
            {A.lists.closePart}
          </button>
        </p>
      </form>
    </Dialog>
  )
}

/** What the venue would refuse of closing so much of a position. */
function partProblem({ symbol, size: held, mark }: Position, size: bigint): FieldProblem | null {
  const rule = rules.value.get(symbol)
  const account = currentAccount(symbol)
  if (!rule || !account) return null
  const side = held > 0n ? 'SELL' : 'BUY'
  const draft = { ...CLOSING, side, size, mark } as const
  const { problems, excess } = judge(rule, draft, account)
  const whole = absolute(held)
  if (excess) return { text: excessText(symbol, excess, account, whole), corrections: [whole] }
  const broken = ruleProblem(problems[0])
  // What is worth too little to be closed in part can be closed whole.
  return broken && { ...broken, corrections: broken.corrections.map((at) => smaller(at, whole)) }
}

const CLOSING = {
  type: 'MARKET',
  price: null,
  isReduceOnly: true,
  slippage: null,
  best: null,
  opposite: [],
} as const
