import type { ComponentChildren } from 'preact'
import { absolute } from '../../../../core/decimals.ts'
import { type Exact, memberText } from '../../../common/exact-json.ts'
import { memberFigure } from '../../../common/figure.ts'
import {
  changeTone,
  filledTemplate,
  fixedText,
  percent,
  signed,
  tickPlaces,
  unsignedPercent,
} from '../../../common/format.ts'
import type { Column } from '../../../common/table.tsx'
import { showMarket } from '../../market/state.ts'
import { FIGURE_TEXTS } from '../../messages/figures.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'

/**
 * The formats of figures. `tonePlaces`: the decimal places to which the figure is rounded before its sign sets the
 * colour; null: no colour.
 */
const LOOKS = {
  amount: { text: (value: bigint) => fixedText(value, 2), tonePlaces: null },
  /** An amount whose sign only gives the side, and is not shown. */
  size: { text: (value: bigint) => fixedText(absolute(value), 2), tonePlaces: null },
  gain: { text: (value: bigint) => signed(value, 2), tonePlaces: 2 },
  ratio: { text: (value: bigint) => unsignedPercent(value), tonePlaces: null },
  return: { text: (value: bigint) => percent(value), tonePlaces: 4 },
} as const

/**
 * A column with a figure of the answer, or a text that it is unknown: amounts with two places, ratios and returns as
 * percent.
 */
export function figureColumn(
  name: string,
  figure: string,
  look: keyof typeof LOOKS,
): Column<Exact> {
  const { text, tonePlaces } = LOOKS[look]
  const cellClass = (value: bigint | null) => {
    if (value === null) return 'quiet'
    return tonePlaces === null ? '' : changeTone(value, tonePlaces)
  }
  const cell = (row: Exact) => {
    const value = memberFigure(row, figure)
    return value === null ? FIGURE_TEXTS.unknown : text(value)
  }
  return [name, cell, (row) => ({ class: cellClass(memberFigure(row, figure)) })]
}

/** A column with figures without sign, with the places of the answer. */
export function plainFigures(name: string, figure: string): Column<Exact> {
  return [name, (row) => plain(row, figure)]
}

function plain(row: Exact, figure: string): string {
  const value = memberFigure(row, figure)
  return value === null ? FIGURE_TEXTS.unknown : fixedText(absolute(value), tickPlaces(value))
}

/** A column with market names; a click shows the market. */
export function marketNames(name: string): Column<Exact> {
  const cell = (row: Exact) => {
    const symbol = memberText(row, 'symbol')
    return (
      <button type="button" class="link" onClick={() => showMarket(symbol)}>
        {symbol.split('_')[1]}-PERP
      </button>
    )
  }
  return [name, cell, undefined, 'text']
}

/** A column with sides and sizes of positions. `noteOf` returns a note beside a size, and its reason. */
export function positionSizes(
  name: string,
  noteOf: (row: Exact) => { readonly text: string; readonly why: string } | null = () => null,
): Column<Exact> {
  const cell = (row: Exact) => {
    const quantity = memberFigure(row, 'position_qty') ?? 0n
    const note = noteOf(row)
    return (
      <>
        {quantity !== 0n && (
          <b class={quantity > 0n ? 'up' : 'down'}>
            {quantity > 0n ? PAGE_TEXTS.long : PAGE_TEXTS.short}
          </b>
        )}{' '}
        {plain(row, 'position_qty')}
        {note && <small title={note.why}>{note.text}</small>}
      </>
    )
  }
  return [name, cell]
}

type AmountTileProps = {
  readonly name: string
  /** Null if unknown. */
  readonly value: bigint | null
  readonly isSigned?: boolean
  /** An action below the figure. */
  readonly children?: ComponentChildren
}

/** A figure in USDC, or the text that it is unknown. */
export function AmountTile({ name, value, isSigned = false, children }: AmountTileProps) {
  if (value === null) return <FigureTile name={name} value={null} />
  const amount = isSigned ? signed(value, 2) : fixedText(value, 2)
  const tone = isSigned ? changeTone(value, 2) : ''
  return (
    <FigureTile name={name} value={filledTemplate(FIGURE_TEXTS.usdc, { amount })} tone={tone}>
      {children}
    </FigureTile>
  )
}

type TileProps = {
  readonly name: string
  /** Null if unknown. */
  readonly value: string | null
  readonly tone?: string
  readonly children?: ComponentChildren
}

/** A figure as text, or the text that it is unknown. */
export function FigureTile({ name, value, tone = '', children }: TileProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={value === null ? 'quiet' : tone}>{value ?? FIGURE_TEXTS.unknown}</dd>
      {children && <dd class="more">{children}</dd>}
    </div>
  )
}
