import { quotient } from '../../../../perp/amounts.ts'
import { filledTemplate, percent } from '../../../common/format.ts'
import { liquidationMoves } from '../../account/daily-moves.ts'
import type { AccountPosition } from '../../account/rows.ts'
import { conditionalReading, conditionals } from '../../account/state.ts'
import { stoppedSize } from '../../account/stopped-size.ts'
import { LIST_TEXTS } from '../../messages/lists.ts'

type Props = { readonly row: AccountPosition }

/** The distance of a position from its liquidation price, in percent and in daily moves of its market. */
export function LiquidationDistance({ row }: Props) {
  const { mark, liquidation } = row
  const moves = liquidationMoves(row)
  return (
    <>
      <small title={LIST_TEXTS.distanceWhy}>{percent(quotient(liquidation - mark, mark), 1)}</small>
      {moves !== null && (
        <small title={LIST_TEXTS.dailyMoveWhy}>
          {filledTemplate(LIST_TEXTS.moves, { moves: moves.toFixed(1) })}
        </small>
      )}
    </>
  )
}

/** The button that sets a stop for a position without one. */
export function StopWarning({
  row,
  onPress,
}: Props & { readonly onPress: (row: AccountPosition) => void }) {
  if (conditionalReading.value.data === null || stoppedSize(conditionals.value, row) > 0n)
    return null
  return (
    <button
      type="button"
      class="link warn"
      title={LIST_TEXTS.noStopWhy}
      onClick={() => onPress(row)}
    >
      {LIST_TEXTS.noStop}
    </button>
  )
}
