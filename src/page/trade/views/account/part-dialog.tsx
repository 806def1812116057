import { signal } from '@preact/signals'
import { absolute, onGrid, smaller } from '../../../common/amounts.ts'
import { fill } from '../../../common/format.ts'
import type { Position } from '../../account/rows.ts'
import { rules } from '../../market/state.ts'
import { A } from '../../messages/account.ts'
import { M } from '../../messages/page.ts'
import { closePosition, reversePosition } from '../../orders/commands.ts'
import { currentAccount } from '../../orders/current-account.ts'
import { judge } from '../../orders/judge.ts'
import { excessText, type FieldProblem, ruleProblem } from '../../orders/problems.ts'
import { baseOf, inputText, typed } from '../../orders/text.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Field, Shares } from '../parts/form.tsx'

const parting = signal<Position | null>(null)
const partInput = signal('')

/** Opens the dialog that closes part of a position. */
export function part(row: Position): void {
  take(row, 50)
  parting.value = row
}

/** Fills in so many per cent of a position, on the step. */
function take({ symbol, size }: Position, percent: number): void {
  const step = rules.peek().get(symbol)?.step ?? 1n
  const share = (absolute(size) * BigInt(percent)) / 100n
  partInput.value = inputText(percent === 100 ? share : onGrid(share, step, 0n, 'floor'))
}

/** How much of a position is to be closed at the market. */
export function PartDialog() {
  const { value: position } = parting
  if (!position) return null
  const whole = absolute(position.size)
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
        <Shares
          label={A.lists.share}
          part={size}
          whole={whole}
          onChoose={(percent) => take(position, percent)}
        />
        <p class="row end">
          <button
            type="button"
            title={A.lists.reverseWhy}
            onClick={() => {
              shut()
              void reversePosition(position)
            }}
          >
            {A.lists.reverse}
          </button>
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
export function partProblem(
  { symbol, size: held, mark }: Position,
  size: bigint,
): FieldProblem | null {
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
