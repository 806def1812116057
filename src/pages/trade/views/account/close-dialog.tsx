import { computed, signal } from '@preact/signals'
import { absolute, smaller } from '../../../../core/decimals.ts'
import { product, quotient, roundedToStep } from '../../../../perp/amounts.ts'
import { filledTemplate, signed } from '../../../common/format.ts'
import { Pairs } from '../../../common/pairs.tsx'
import { type AccountPosition, positionKey } from '../../account/rows.ts'
import { heldPositions } from '../../account/state.ts'
import { book, rules, symbol } from '../../market/state.ts'
import { ACCOUNT_TEXTS } from '../../messages/account.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { TICKET_TEXTS } from '../../messages/ticket.ts'
import { type FieldProblem, ruleProblem } from '../../orders/check.ts'
import { closableSize, closeHeldPosition } from '../../orders/commands.ts'
import { currentAccount } from '../../orders/current-account.ts'
import { inputText, typedNumber } from '../../orders/inputs.ts'
import { arrivingOrderVerdict, marketNow, NO_BOOK } from '../../orders/judge.ts'
import { excessText } from '../../orders/problems.ts'
import { priceText, symbolBase } from '../../orders/text.ts'
import { NumberField, Segments, Shares } from '../parts/form.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'

const TYPES = {
  MARKET: ACCOUNT_TEXTS.orderType.MARKET,
  LIMIT: ACCOUNT_TEXTS.orderType.LIMIT,
} as const

/** The key of the position that is being closed. */
const closing = signal('')
const type = signal<keyof typeof TYPES>('MARKET')
const priceInput = signal('')
const sizeInput = signal('')

/** The limit price of the close; null for a close at market, and while the field is empty. */
const price = computed(() => (type.value === 'LIMIT' ? typedNumber(priceInput.value) : null))

/** Opens the dialog that closes a position partly, or with a limit order. */
export function askToClose(row: AccountPosition): void {
  take(row, 100)
  type.value = 'MARKET'
  priceInput.value = inputText(roundedToStep(row.mark, priceTick(row), 'floor'))
  closing.value = positionKey(row)
}

function priceTick({ symbol }: AccountPosition): bigint {
  return rules.peek().get(symbol)?.quoteTick ?? 1n
}

/** Fills in a percentage of a position, rounded to the tick. */
function take({ symbol, size }: AccountPosition, percent: number): void {
  const share = (absolute(size) * BigInt(percent)) / 100n
  sizeInput.value = inputText(closableSize(symbol, share))
}

function shut(): void {
  closing.value = ''
}

/** The dialog for the size and the price of a close. */
export function CloseDialog() {
  const position = heldPositions.value.find((row) => positionKey(row) === closing.value)
  if (!position) return null
  const size = typedNumber(sizeInput.value)
  const isPriced = type.value === 'MARKET' || price.value !== null
  const problems = size === null ? null : closeProblems(position, size, price.value)
  const isBad = size === null || !isPriced || problems?.size !== null || problems.price !== null
  return (
    <FormDialog
      title={filledTemplate(ACCOUNT_TEXTS.lists.closeOf, { base: symbolBase(position.symbol) })}
      onClose={shut}
      submit={ACCOUNT_TEXTS.lists.close}
      tone={position.size > 0n ? 'sell' : 'buy'}
      isReady={!isBad}
      onSubmit={() => size !== null && closeHeldPosition(position, size, price.peek())}
    >
      <Segments label={TICKET_TEXTS.type} kind="closings" options={TYPES} chosen={type} />
      {type.value === 'LIMIT' && (
        <NumberField
          label={TICKET_TEXTS.price}
          input={priceInput}
          suffix="USDC"
          problem={problems?.price ?? null}
        />
      )}
      <NumberField
        label={ACCOUNT_TEXTS.lists.partSize}
        input={sizeInput}
        suffix={symbolBase(position.symbol)}
        problem={problems?.size ?? null}
      />
      <Shares
        label={ACCOUNT_TEXTS.lists.share}
        part={size}
        whole={absolute(position.size)}
        onChoose={(percent) => take(position, percent)}
      />
      <Pairs rows={closeRows(position, size)} />
    </FormDialog>
  )
}

/** The estimated price of closing this size, and the PnL of the close before fees. */
function closeRows(position: AccountPosition, size: bigint | null) {
  const { symbol, size: held, entry } = position
  const closed = smaller(size ?? 0n, absolute(held))
  const at = type.value === 'MARKET' ? marketPrice(position, closed) : price.value
  if (size === null || at === null)
    return [[ACCOUNT_TEXTS.lists.closePnl, PAGE_TEXTS.none]] as const
  const pnl = product(closed, held > 0n ? at - entry : entry - at)
  return [
    [TICKET_TEXTS.estimate, priceText(symbol, at)],
    [ACCOUNT_TEXTS.lists.closePnl, `${signed(pnl, 2)} USDC`],
  ] as const
}

/** The average price at which the book would fill this size; the mark price if the book is unknown or too small. */
function marketPrice(position: AccountPosition, size: bigint): bigint {
  const fill = judgeClose(position, size, null)?.match?.fill
  return fill?.quantity === size && size > 0n ? quotient(fill.value, size) : position.mark
}

/** The verdict on closing this size of a position, at market if `price` is null; null while the account is unknown. */
function judgeClose(
  { symbol: name, size: held, mark, isIsolated }: AccountPosition,
  size: bigint,
  price: bigint | null,
) {
  const rule = rules.value.get(name)
  const account = currentAccount(name, isIsolated)
  if (!rule || !account) return null
  const side = held > 0n ? 'SELL' : 'BUY'
  const type = price === null ? 'MARKET' : 'LIMIT'
  const market = marketNow(rule, mark, name === symbol.value ? book.value : NO_BOOK)
  return {
    ...arrivingOrderVerdict(market, { ...CLOSING, side, type, price, quantity: size }, account),
    account,
  }
}

type CloseProblems = { readonly size: FieldProblem | null; readonly price: FieldProblem | null }

/** The market rules that closing this size breaks; `price` is null for a close at market. */
export function closeProblems(
  position: AccountPosition,
  size: bigint,
  price: bigint | null,
): CloseProblems {
  const { symbol: name, size: held } = position
  const found = judgeClose(position, size, price)
  if (!found) return { size: null, price: null }
  const whole = absolute(held)
  const tooMuch = found.excess === 'position' && {
    text: excessText(name, 'position', found.account, whole),
    corrections: [whole],
  }
  const sized = ruleProblem(found.problems, 'size')
  // The venue also refuses a close that is larger than the position, so larger corrections are left out.
  const broken = sized && { ...sized, corrections: sized.corrections.filter((at) => at <= whole) }
  return { size: tooMuch || broken, price: ruleProblem(found.problems, 'price') }
}

const CLOSING = { reduceOnly: true, slippage: null } as const
