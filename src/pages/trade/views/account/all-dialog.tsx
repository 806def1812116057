import { absolute } from '../../../../core/decimals.ts'
import { times } from '../../../../perp/amounts.ts'
import { fill, fixedText, signed } from '../../../common/format.ts'
import { Pairs, type Rows } from '../../../common/pairs.tsx'
import { marketMark } from '../../market/state.ts'
import { ALL } from '../../messages/all.ts'
import { M } from '../../messages/page.ts'
import { type AllOf, all, type Left, leaveAll, sendAll } from '../../orders/all.ts'
import { Dialog } from '../parts/dialog.tsx'

/** The dialog that confirms closing all positions or cancelling all orders, and then shows the result. */
export function AllDialog() {
  const { value } = all
  if (!value) return null
  return (
    <Dialog title={ALL.title[value.kind]} onClose={leaveAll}>
      {value.stage === 'asked' && <Asked asked={value} />}
      {value.stage === 'sent' && (
        <p role="status">{fill(ALL.sent, { sent: value.sent + 1, count: value.rows.length })}</p>
      )}
      {value.stage === 'ended' && <Ended asked={value} left={value.left} />}
    </Dialog>
  )
}

function Asked({ asked }: { readonly asked: AllOf }) {
  const { kind, rows } = asked
  return (
    <>
      <Pairs rows={questionRows(asked)} />
      <p class="row end">
        <button type="button" onClick={leaveAll}>
          {ALL.keep[kind]}
        </button>
        <button type="button" class="primary" onClick={() => void sendAll()}>
          {fill(ALL.act[kind], { count: rows.length })}
        </button>
      </p>
    </>
  )
}

function questionRows(asked: AllOf): Rows {
  const count = [ALL.count[asked.kind], String(asked.rows.length)] as const
  const value = [ALL.value, `${fixedText(totalValue(asked), 2)} USDC`] as const
  if (asked.kind !== 'positions') return [count, value]
  const pnl = asked.rows.reduce((sum, { unrealized }) => sum + unrealized, 0n)
  return [count, value, [ALL.pnl, `${signed(pnl, 2)} USDC`]]
}

/** The total value of the rows: positions at the mark price, orders at their own price or trigger. */
function totalValue({ kind, rows }: AllOf): bigint {
  if (kind === 'positions')
    return rows.reduce((sum, { size, mark }) => sum + times(absolute(size), mark), 0n)
  return rows.reduce((sum, row) => {
    const trigger = 'trigger' in row ? row.trigger : null
    const at = row.price ?? trigger ?? marketMark(row.symbol)
    return sum + times(row.size - row.executed, at)
  }, 0n)
}

type EndedProps = { readonly asked: AllOf; readonly left: readonly Left[] | null }

function Ended({ asked: { kind, rows }, left }: EndedProps) {
  const count = rows.length
  return (
    <>
      <p role="status">
        {left ? fill(ALL.done[kind], { done: count - left.length, count }) : ALL.unknown}
      </p>
      {left && left.length > 0 && (
        <>
          <h3>{ALL.left}</h3>
          <Pairs rows={left.map(({ name, why }) => [name, why])} />
        </>
      )}
      <p class="row end">
        <button type="button" class="primary" onClick={leaveAll}>
          {M.close}
        </button>
      </p>
    </>
  )
}
