import { signal } from '@preact/signals'
import { NO_FIGURES, toEditedOrder } from '../../../../perp/order-worst-case.ts'
import { filledTemplate } from '../../../common/format.ts'
import { Pairs } from '../../../common/pairs.tsx'
import type { AccountOrder } from '../../account/rows.ts'
import { book, marketMark, rules, symbol as shown } from '../../market/state.ts'
import { ACCOUNT_TEXTS } from '../../messages/account.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { TICKET_TEXTS } from '../../messages/ticket.ts'
import { type FieldProblem, LIMIT_TYPES, ruleProblem } from '../../orders/check.ts'
import { editRestingOrder } from '../../orders/commands.ts'
import { currentAccount } from '../../orders/current-account.ts'
import { inputText, typedNumber } from '../../orders/inputs.ts'
import { arrivingOrderVerdict, largestTicketSize, marketNow, NO_BOOK } from '../../orders/judge.ts'
import { limitsOn } from '../../orders/limit-verdict.ts'
import { excessText } from '../../orders/problems.ts'
import { priceText, sizeText, symbolBase } from '../../orders/text.ts'
import { NumberField } from '../parts/form.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { LimitNotice } from '../parts/limit-notice.tsx'

const editing = signal<AccountOrder | null>(null)
const priceInput = signal('')
const sizeInput = signal('')

/** Opens the dialog that edits an order; `price` replaces the current price. */
export function edit(row: AccountOrder, price = row.price ?? 0n): void {
  priceInput.value = inputText(price)
  sizeInput.value = inputText(row.size)
  editing.value = row
}

function shut(): void {
  editing.value = null
}

/** The dialog for editing an order's price and size. Values that the venue would refuse cannot be sent. */
export function EditDialog() {
  const { value: order } = editing
  if (!order) return null
  const [price, size] = [typedNumber(priceInput.value), typedNumber(sizeInput.value)]
  const problems = price === null || size === null ? null : editProblems(order, price, size)
  const isSound = problems !== null && !problems.price && !problems.size
  return (
    <FormDialog
      title={filledTemplate(ACCOUNT_TEXTS.lists.editOf, { id: order.id })}
      onClose={shut}
      submit={ACCOUNT_TEXTS.lists.save}
      isReady={isSound}
      onSubmit={() => price !== null && size !== null && editRestingOrder(order, price, size)}
    >
      <Pairs
        rows={[
          [PAGE_TEXTS.market, symbolBase(order.symbol)],
          [PAGE_TEXTS.side[order.side], sizeText(order.symbol, order.size)],
          [TICKET_TEXTS.price, priceText(order.symbol, order.price ?? 0n)],
        ]}
      />
      <NumberField
        label={TICKET_TEXTS.price}
        input={priceInput}
        suffix="USDC"
        problem={problems?.price ?? null}
      />
      <NumberField
        label={TICKET_TEXTS.size}
        input={sizeInput}
        suffix={symbolBase(order.symbol)}
        problem={problems?.size ?? null}
      />
      {isSound && <EditLimits {...order} price={price ?? 0n} size={size} />}
    </FormDialog>
  )
}

type Edited = Pick<AccountOrder, 'symbol' | 'executed'> & {
  readonly price: bigint
  readonly size: bigint | null
}

/**
 * The account's limits on the edited order, which counts with its whole value. A size below the executed quantity is
 * not offered.
 */
function EditLimits({ symbol, executed, price, size }: Edited) {
  const edited = toEditedOrder({ ...NO_FIGURES, symbol, highest: price, quantity: size })
  const found = limitsOn(symbol, [edited])
  return (
    <div role="status">
      <LimitNotice
        found={found && found.largest <= executed ? { ...found, largest: 0n } : found}
        onCorrect={(most) => {
          sizeInput.value = inputText(most)
        }}
      />
    </div>
  )
}

type Problems = { readonly price: FieldProblem | null; readonly size: FieldProblem | null }

/** The market rules that the edited order breaks. */
function editProblems(order: AccountOrder, price: bigint, size: bigint): Problems {
  const { symbol, side, executed, isReduceOnly: reduceOnly } = order
  const rule = rules.value.get(symbol)
  if (!rule) return { price: null, size: null }
  const draft = {
    ...{ side, price, reduceOnly, slippage: null },
    type: LIMIT_TYPES.find((name) => name === order.type) ?? 'LIMIT',
  }
  const market = marketNow(rule, marketMark(symbol), symbol === shown.value ? book.value : NO_BOOK)
  const account = currentAccount(symbol, order.isIsolated, order)
  const { problems } = arrivingOrderVerdict(market, { ...draft, quantity: size }, account)
  const broken = {
    price: ruleProblem(problems, 'price'),
    size: ruleProblem(problems, 'size'),
  }
  if (size <= executed)
    return { ...broken, size: { text: ACCOUNT_TEXTS.lists.executedSize, corrections: [] } }
  const { excess } = arrivingOrderVerdict(market, { ...draft, quantity: size - executed }, account)
  if (!account || !excess || reduceOnly) return broken
  const open = largestTicketSize(market, draft, account)
  const most = open === null ? null : open + executed
  const tooMuch = {
    text: excessText(symbol, excess, account, most),
    corrections: most && most > executed ? [most] : [],
  }
  return { ...broken, size: broken.size ?? tooMuch }
}
