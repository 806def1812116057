import { absolute } from '../../../../core/decimals.ts'
import { product } from '../../../../perp/amounts.ts'
import { filledTemplate, fixedText, signed } from '../../../common/format.ts'
import { Pairs, type Rows } from '../../../common/pairs.tsx'
import { marketMark } from '../../market/state.ts'
import { ALL_ROWS_TEXTS } from '../../messages/all.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import {
  type BulkRows,
  bulkAction,
  closeBulkAction,
  type RemainingRow,
  sendBulkAction,
} from '../../orders/all.ts'
import { Dialog } from '../parts/dialog.tsx'

/** The dialog that confirms closing all positions or cancelling all orders, and then shows the result. */
export function AllDialog() {
  const { value } = bulkAction
  if (!value) return null
  return (
    <Dialog title={ALL_ROWS_TEXTS.title[value.kind]} onClose={closeBulkAction}>
      {value.stage === 'asked' && <Asked asked={value} />}
      {value.stage === 'sent' && (
        <p role="status">
          {filledTemplate(ALL_ROWS_TEXTS.sent, { sent: value.sent + 1, count: value.rows.length })}
        </p>
      )}
      {value.stage === 'ended' && <Ended asked={value} left={value.left} />}
    </Dialog>
  )
}

function Asked({ asked }: { readonly asked: BulkRows }) {
  const { kind, rows } = asked
  return (
    <>
      <Pairs rows={questionRows(asked)} />
      <p class="row end">
        <button type="button" onClick={closeBulkAction}>
          {ALL_ROWS_TEXTS.keep[kind]}
        </button>
        <button type="button" class="primary" onClick={() => void sendBulkAction()}>
          {filledTemplate(ALL_ROWS_TEXTS.act[kind], { count: rows.length })}
        </button>
      </p>
    </>
  )
}

function questionRows(asked: BulkRows): Rows {
  const count = [ALL_ROWS_TEXTS.count[asked.kind], String(asked.rows.length)] as const
  const value = [ALL_ROWS_TEXTS.value, `${fixedText(totalValue(asked), 2)} USDC`] as const
  if (asked.kind !== 'positions') return [count, value]
  const pnl = asked.rows.reduce((sum, { unrealized }) => sum + unrealized, 0n)
  return [count, value, [ALL_ROWS_TEXTS.pnl, `${signed(pnl, 2)} USDC`]]
}

/** The total value of the rows: positions at the mark price, orders at their own price or trigger. */
function totalValue({ kind, rows }: BulkRows): bigint {
  if (kind === 'positions')
    return rows.reduce((sum, { size, mark }) => sum + product(absolute(size), mark), 0n)
  return rows.reduce((sum, row) => {
    const trigger = 'trigger' in row ? row.trigger : null
    const at = row.price ?? trigger ?? marketMark(row.symbol)
    return sum + product(row.size - row.executed, at)
  }, 0n)
}

type EndedProps = { readonly asked: BulkRows; readonly left: readonly RemainingRow[] | null }

function Ended({ asked: { kind, rows }, left }: EndedProps) {
  const count = rows.length
  return (
    <>
      <p role="status">
        {left
          ? filledTemplate(ALL_ROWS_TEXTS.done[kind], { done: count - left.length, count })
          : ALL_ROWS_TEXTS.unknown}
      </p>
      {left && left.length > 0 && (
        <>
          <h3>{ALL_ROWS_TEXTS.left}</h3>
          <Pairs rows={left.map(({ name, why }) => [name, why])} />
        </>
      )}
      <p class="row end">
        <button type="button" class="primary" onClick={closeBulkAction}>
          {PAGE_TEXTS.close}
        </button>
      </p>
    </>
  )
}
