import type { ComponentChildren } from 'preact'
import { fill, fixed, signed, toneOf } from '../../../common/format.ts'
import { FIGURES } from '../../messages/figures.ts'

type AmountTileProps = {
  readonly name: string
  /** Null where it is not known. */
  readonly value: bigint | null
  readonly isSigned?: boolean
  /** What can be done about it. */
  readonly children?: ComponentChildren
}

/** One figure in USDC, or that it is not known. */
export function AmountTile({ name, value, isSigned = false, children }: AmountTileProps) {
  if (value === null) return <Tile name={name} value={null} />
  const amount = isSigned ? signed(value, 2) : fixed(value, 2)
  const tone = isSigned ? toneOf(value, 2) : ''
  return (
    <Tile name={name} value={fill(FIGURES.usdc, { amount })} tone={tone}>
      {children}
    </Tile>
  )
}

type TileProps = {
  readonly name: string
  /** Null where it is not known. */
  readonly value: string | null
  readonly tone?: string
  readonly children?: ComponentChildren
}

/** One figure as text, or that it is not known. */
export function Tile({ name, value, tone = '', children }: TileProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={value === null ? 'quiet' : tone}>{value ?? FIGURES.unknown}</dd>
      {children && <dd class="more">{children}</dd>}
    </div>
  )
}
