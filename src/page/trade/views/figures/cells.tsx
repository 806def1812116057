import { absolute } from '../../../../core/decimals.ts'
import { type Exact, textOf } from '../../../common/exact-json.ts'
import { figureOf } from '../../../common/figure.ts'
import {
  fixed,
  percent,
  placesOf,
  signed,
  toneOf,
  unsignedPercent,
} from '../../../common/format.ts'
import { choose } from '../../market/state.ts'
import { FIGURES } from '../../messages/figures.ts'
import { M } from '../../messages/page.ts'
import { Cell } from '../account/table.tsx'

type FigureProps = {
  readonly name: string
  /** Null where it is not known. */
  readonly value: bigint | null
  readonly isSigned?: boolean
}

/** A cell with an amount in USDC to the cent, or that it is not known. */
export function AmountCell({ name, value, isSigned = false }: FigureProps) {
  if (value === null) return <UnknownCell name={name} />
  return (
    <Cell name={name} class={isSigned ? toneOf(value, 2) : ''}>
      {isSigned ? signed(value, 2) : fixed(value, 2)}
    </Cell>
  )
}

/** A cell with a ratio as percent, or that it is not known. */
export function PercentCell({ name, value, isSigned = false }: FigureProps) {
  if (value === null) return <UnknownCell name={name} />
  return (
    <Cell name={name} class={isSigned ? toneOf(value, 4) : ''}>
      {isSigned ? percent(value) : unsignedPercent(value)}
    </Cell>
  )
}

function UnknownCell({ name }: Pick<FigureProps, 'name'>) {
  return (
    <Cell name={name} class="quiet">
      {FIGURES.unknown}
    </Cell>
  )
}

type RowProps = { readonly name: string; readonly row: Exact }

/** A cell with a figure without its sign, with the places that the answer has. */
export function PlainCell({ name, row, figure }: RowProps & { readonly figure: string }) {
  return <Cell name={name}>{plain(row, figure)}</Cell>
}

function plain(row: Exact, figure: string): string {
  const value = figureOf(row, figure)
  return value === null ? FIGURES.unknown : fixed(absolute(value), placesOf(textOf(row, figure)))
}

/** A cell that leads to the market of a position. */
export function MarketCell({ name, row }: RowProps) {
  const symbol = textOf(row, 'symbol')
  return (
    <Cell name={name}>
      <button type="button" class="link" onClick={() => choose(symbol)}>
        {symbol.split('_')[1]}-PERP
      </button>
    </Cell>
  )
}

type SideProps = RowProps & {
  /** What is to be known of the position beside its side, and why. */
  readonly mark?: { readonly text: string; readonly why: string } | null
}

/** A cell with the side and the size of a position. */
export function SideCell({ name, row, mark = null }: SideProps) {
  const quantity = figureOf(row, 'position_qty') ?? 0n
  return (
    <Cell name={name}>
      {quantity !== 0n && (
        <b class={quantity > 0n ? 'up' : 'down'}>{quantity > 0n ? M.long : M.short}</b>
      )}{' '}
      {plain(row, 'position_qty')}
      {mark && <small title={mark.why}>{mark.text}</small>}
    </Cell>
  )
}
