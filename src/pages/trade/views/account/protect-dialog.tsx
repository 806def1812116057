import { computed, signal } from '@preact/signals'
import { absolute } from '../../../../core/decimals.ts'
import { product, quotient } from '../../../../perp/amounts.ts'
import { isBeyondLiquidation } from '../../../../perp/liquidation-price.ts'
import { filledTemplate, percent, signed } from '../../../common/format.ts'
import { Pairs } from '../../../common/pairs.tsx'
import type { Conditional } from '../../account/conditional.ts'
import { orderLeg, positionProtection } from '../../account/legs.ts'
import { type AccountPosition, positionKey } from '../../account/rows.ts'
import { conditionals, heldPositions } from '../../account/state.ts'
import { rules } from '../../market/state.ts'
import { ACCOUNT_TEXTS } from '../../messages/account.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { TICKET_TEXTS } from '../../messages/ticket.ts'
import type { FieldProblem } from '../../orders/check.ts'
import { newClientOrderId } from '../../orders/commands.ts'
import { LEGS, type LegName, type LegPrices, legProblem } from '../../orders/conditional.ts'
import {
  cancelConditional,
  conditionalEdit,
  protection,
} from '../../orders/conditional-commands.ts'
import type { DistanceReference } from '../../orders/distance.ts'
import { inputText, typedNumber } from '../../orders/inputs.ts'
import { asksFirst } from '../../orders/switches.ts'
import { priceText, sizeText, symbolBase } from '../../orders/text.ts'
import { signAndSend } from '../../orders/writes.ts'
import { NumberField, Segments } from '../parts/form.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { LegField } from '../parts/leg-field.tsx'
import { closeProblems } from './close-dialog.tsx'
import { partText } from './protection.tsx'
import { SignedText, useStamped } from './signed-text.tsx'

/** The key of the position that is being protected. */
const protecting = signal('')
const scope = signal<'whole' | 'part'>('whole')
const inputs = { TAKE_PROFIT: signal(''), STOP_LOSS: signal('') } as const
const sizeInput = signal('')
/** The client order id of the order that the form would place. */
const newId = signal('')

/** The position that is being protected. */
const held = computed(() =>
  heldPositions.value.find((row) => positionKey(row) === protecting.value),
)

/** The entry price from which a leg's distance is measured; null without a position. */
function legGround(leg: LegName): DistanceReference | null {
  const { value: position } = held
  const rule = position && rules.value.get(position.symbol)
  if (!rule) return null
  const isAbove = (leg === 'TAKE_PROFIT') === position.size > 0n
  return { rules: rule, entry: position.entry, isAbove }
}

/** The order of the inputs: the stop-loss first, because users mostly protect a position against a loss. */
const ORDER = LEGS.toReversed()

const SCOPES = { whole: ACCOUNT_TEXTS.lists.wholePosition, part: ACCOUNT_TEXTS.lists.part } as const

/** Opens the dialog with the current protection of a position. */
export function protect(position: AccountPosition): void {
  protecting.value = positionKey(position)
  newId.value = newClientOrderId()
  sizeInput.value = inputText(absolute(position.size))
  choose('whole', position)
}

function choose(name: 'whole' | 'part', position: AccountPosition): void {
  const { whole } = positionProtection(conditionals.peek(), position)
  scope.value = name
  for (const leg of LEGS) {
    const at = name === 'whole' && whole ? orderLeg(whole, leg)?.trigger : null
    inputs[leg].value = at ? inputText(at) : ''
  }
}

function shut(): void {
  protecting.value = ''
}

/** The dialog for a take-profit and stop-loss of the whole position or a part. */
export function ProtectDialog() {
  const { value: position } = held
  return position && <Protecting position={position} />
}

/** The form shows the text to sign, so the form's button signs without a further confirmation. */
function Protecting({ position }: Shown) {
  const form = protectionForm(position)
  const { kept, offered, order } = form
  const only = offered.length < LEGS.length && offered[0]
  const side = PAGE_TEXTS.side[position.size > 0n ? 'SELL' : 'BUY']
  const call = useStamped(order)
  return (
    <FormDialog
      title={filledTemplate(ACCOUNT_TEXTS.lists.protectOf, { base: symbolBase(position.symbol) })}
      onClose={shut}
      submit={filledTemplate(kept ? ACCOUNT_TEXTS.lists.change : ACCOUNT_TEXTS.lists.set, {
        legs: form.names,
      })}
      isReady={call !== null}
      onSubmit={() => order && call && signAndSend(call, order)}
      more={kept && <Remove kept={kept} />}
    >
      <Segments
        label={ACCOUNT_TEXTS.lists.part}
        kind="scopes"
        options={SCOPES}
        chosen={scope}
        onChoose={(name) => choose(name, position)}
      />
      <p class="quiet">
        {filledTemplate(
          scope.value === 'whole'
            ? ACCOUNT_TEXTS.lists.protectWhole
            : ACCOUNT_TEXTS.lists.protectPart,
          { side },
        )}{' '}
        {only && ACCOUNT_TEXTS.lists.oneEach[only]}
      </p>
      <Reference position={position} />
      <Inputs position={position} form={form} />
      {call && asksFirst.value && <SignedText call={call} />}
    </FormDialog>
  )
}

function Remove({ kept }: { readonly kept: Conditional }) {
  return (
    <button
      type="button"
      onClick={() => {
        shut()
        void cancelConditional(kept)
      }}
    >
      {ACCOUNT_TEXTS.lists.remove}
    </button>
  )
}

type Form = ReturnType<typeof protectionForm>

/** The values of the form, and the resulting write. */
function protectionForm(position: AccountPosition) {
  const { whole } = positionProtection(conditionals.value, position)
  const isPart = scope.value === 'part'
  // An existing order for the whole position is kept, and its triggers are edited.
  const kept = isPart ? null : whole
  const offered = ORDER.filter((leg) => !kept || orderLeg(kept, leg) !== null)
  const part = isPart ? typedNumber(sizeInput.value) : null
  const broken = part === null ? null : closeProblems(position, part, null).size
  const prices = typedLegPrices(offered)
  const isLegSound = (leg: LegName) =>
    inputs[leg].value.trim() === '' ||
    (prices[leg] !== null &&
      // A trigger that stays as it is does not prevent a change of the other one.
      ((kept && orderLeg(kept, leg)?.trigger === prices[leg]) ||
        legFieldProblem(position, leg) === null))
  const isSound =
    offered.some((leg) => prices[leg] !== null) &&
    offered.every(isLegSound) &&
    (!isPart || (part !== null && broken === null))
  const order = !isSound
    ? null
    : kept
      ? conditionalEdit(kept, { trigger: null, price: null, size: null, legs: prices })
      : protection(newId.value, position, part, prices)
  const given = offered.filter((leg) => prices[leg] !== null)
  const names = given.map((leg) => ACCOUNT_TEXTS.lists.legs[leg]).join('/')
  return { kept, offered, part, broken, prices, order, names }
}

type Shown = { readonly position: AccountPosition }

function Reference({ position }: Shown) {
  const { symbol, size, entry, mark, liquidation } = position
  const sized = `${sizeText(symbol, absolute(size))} ${symbolBase(symbol)}`
  const { parts } = positionProtection(conditionals.value, position)
  return (
    <Pairs
      rows={[
        [TICKET_TEXTS.size, `${size > 0n ? PAGE_TEXTS.long : PAGE_TEXTS.short} ${sized}`],
        [ACCOUNT_TEXTS.lists.head.entry, priceText(symbol, entry)],
        [ACCOUNT_TEXTS.lists.head.mark, priceText(symbol, mark)],
        [
          ACCOUNT_TEXTS.lists.head.liquidation,
          liquidation > 0n ? priceText(symbol, liquidation) : TICKET_TEXTS.noLiquidation,
        ],
        parts.length > 0 && [ACCOUNT_TEXTS.lists.kinds['TP_SL'] ?? '', namedParts(parts)],
      ]}
    />
  )
}

function Inputs({ position, form }: Shown & { readonly form: Form }) {
  const { offered, part, broken, prices } = form
  const suffix = symbolBase(position.symbol)
  return (
    <>
      {scope.value === 'part' && (
        <NumberField
          label={ACCOUNT_TEXTS.lists.partSize}
          input={sizeInput}
          suffix={suffix}
          problem={broken}
        />
      )}
      {offered.map((leg) => (
        <LegField
          key={leg}
          leg={leg}
          isFirst={leg === offered[0]}
          label={filledTemplate(ACCOUNT_TEXTS.lists.legAt, { leg: TICKET_TEXTS.legs[leg] })}
          input={inputs[leg]}
          groundOf={legGround}
          suffix="USDC"
          outcome={pnlText(position, part, prices[leg])}
          problem={legFieldProblem(position, leg)}
        />
      ))}
    </>
  )
}

function typedLegPrices(offered: readonly LegName[]): LegPrices {
  const at = (leg: LegName) => (offered.includes(leg) ? typedNumber(inputs[leg].value) : null)
  return { TAKE_PROFIT: at('TAKE_PROFIT'), STOP_LOSS: at('STOP_LOSS') }
}

function legFieldProblem(
  { symbol, size, mark, liquidation }: AccountPosition,
  leg: LegName,
): FieldProblem | null {
  const at = typedNumber(inputs[leg].value)
  const rule = rules.value.get(symbol)
  if (at === null || !rule) return null
  const isBeyond =
    leg === 'STOP_LOSS' &&
    liquidation > 0n &&
    isBeyondLiquidation(size > 0n ? 'BUY' : 'SELL', at, liquidation)
  if (isBeyond) {
    const price = priceText(symbol, liquidation)
    const text = filledTemplate(ACCOUNT_TEXTS.lists.beyondLiquidation, { price })
    return { text, corrections: [] }
  }
  return legProblem(rule, { leg, isLong: size > 0n, reference: mark }, at)
}

/** The text of a trigger's PnL before fees, for the position or a part of it, and its distance from the mark price. */
function pnlText(
  { size, entry, mark }: AccountPosition,
  part: bigint | null,
  at: bigint | null,
): string {
  if (at === null) return ''
  const closed = part ?? absolute(size)
  const won = product(closed, size > 0n ? at - entry : entry - at)
  const distance = percent(quotient(at - mark, mark), 1)
  return filledTemplate(ACCOUNT_TEXTS.lists.legOutcome, { pnl: signed(won, 2), distance })
}

const NAMED_MAX = 5

/** The texts of the orders that close a part, each with its triggers and size. */
function namedParts(parts: readonly Conditional[]): string {
  const others = parts.length - NAMED_MAX
  const shown = parts.slice(0, NAMED_MAX).map(partText)
  if (others > 0) shown.push(filledTemplate(ACCOUNT_TEXTS.account.andMore, { count: others }))
  return shown.join('; ')
}
