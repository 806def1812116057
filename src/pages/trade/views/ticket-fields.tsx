import type { ComponentChildren } from 'preact'
import { product, roundedToStep } from '../../../perp/amounts.ts'
import { filledTemplate, fixedText, signed, unsignedPercent } from '../../common/format.ts'
import { summary } from '../account/summary.ts'
import { marketRule, shownMarket } from '../market/state.ts'
import { PAGE_TEXTS } from '../messages/page.ts'
import { TICKET_TEXTS } from '../messages/ticket.ts'
import { LEGS, type LegName } from '../orders/conditional.ts'
import type { DistanceReference } from '../orders/distance.ts'
import {
  hasLegs,
  hasSlippage,
  largestSizeNow,
  legs,
  limitType,
  mayHaveLegs,
  sentType,
  side,
  ticketSize,
  unit,
  valuationPrice,
  wantsLegs,
} from '../orders/draft.ts'
import { FIELDS, type FieldName } from '../orders/fields.ts'
import { inputText } from '../orders/inputs.ts'
import { applyCorrection, inputObstacle } from '../orders/obstacle.ts'
import { kind } from '../orders/switches.ts'
import { Checkbox, Choice, NumberField, Shares } from './parts/form.tsx'
import { LegField } from './parts/leg-field.tsx'

/** The inputs of the ticket's kind of order, apart from the size. */
export function KindFields() {
  switch (kind.value) {
    case 'LIMIT':
      return <Price />
    case 'MARKET':
      return hasSlippage.value ? <Entry name="slippage" suffix="%" /> : <NoSlippage />
    case 'STOP':
      return <Stop />
    case 'TRAILING_STOP':
      return (
        <div class="pair">
          <Entry name="callback" suffix="%" />
          <Entry name="activation" placeholder={TICKET_TEXTS.activationNone} />
        </div>
      )
    case 'SCALED':
      return (
        <>
          <div class="pair">
            <Entry name="price" label={TICKET_TEXTS.from} />
            <Entry name="end" />
          </div>
          <Entry name="count" />
        </>
      )
    default:
      return (
        <>
          <div class="pair">
            <Entry name="minutes" />
            <Entry name="slices" />
          </div>
          <Entry name="slippage" suffix="%" />
        </>
      )
  }
}

type EntryProps = {
  readonly name: FieldName
  readonly label?: string
  readonly suffix?: string
  readonly placeholder?: string
  readonly end?: ComponentChildren
}

/** An input of the ticket. Its problem is shown beside the submit button. */
function Entry({ name, ...props }: EntryProps) {
  return <NumberField {...FIELDS[name]} {...props} shownAt={shownFor(name)} />
}

function shownFor(name: FieldName) {
  return { id: 'obstacle', isWrong: inputObstacle.value?.field === name }
}

function markText(): string {
  return shownMarket.value ? inputText(shownMarket.value.mark) : ''
}

function Price() {
  return <Entry name="price" suffix="USDC" placeholder={markText()} />
}

function NoSlippage() {
  const range = unsignedPercent(marketRule.value?.priceRange ?? 0n)
  return <p class="warn why">{filledTemplate(TICKET_TEXTS.slippageOff, { range })}</p>
}

function Stop() {
  return (
    <>
      <Entry
        name="trigger"
        suffix="USDC"
        placeholder={markText()}
        end={
          <Choice label={TICKET_TEXTS.sentAs} options={TICKET_TEXTS.sentTypes} chosen={sentType} />
        }
      />
      {sentType.value === 'LIMIT' && <Price />}
    </>
  )
}

/** The size input with the free margin: in a chosen unit, by slider, or as a percentage of the largest size. */
export function Size() {
  const names = {
    base: shownMarket.value?.base ?? '',
    quote: 'USDC',
    percent: TICKET_TEXTS.percent,
  }
  const free = summary.value?.free
  return (
    <>
      <p class="quiet free">
        {TICKET_TEXTS.available}{' '}
        <b>{free === undefined ? PAGE_TEXTS.none : `${fixedText(free, 2)} USDC`}</b>
      </p>
      <Entry
        name="size"
        end={
          <Choice
            label={TICKET_TEXTS.unit}
            title={TICKET_TEXTS.percentWhy}
            options={names}
            chosen={unit}
          />
        }
      />
      <Shares
        label={TICKET_TEXTS.share}
        part={ticketSize.value}
        whole={largestSizeNow.value ?? 0n}
        onChoose={takeShare}
      />
    </>
  )
}

/** Fills in a percentage of the largest size. */
export function takeShare(percent: number): void {
  const [limits, largest] = [marketRule.peek(), largestSizeNow.peek()]
  if (!limits || !largest) return
  const wanted = (largest * BigInt(percent)) / 100n
  applyCorrection('size', roundedToStep(wanted, limits.baseTick, 'floor'))
}

/** The selector of a limit order's type. */
export function LimitTypeChoice() {
  return (
    <Choice label={TICKET_TEXTS.limitType} options={TICKET_TEXTS.limitTypes} chosen={limitType} />
  )
}

/** The inputs for a take-profit and stop-loss attached to the order. */
export function Legs() {
  if (!mayHaveLegs.value) return null
  return (
    <>
      <Checkbox label={TICKET_TEXTS.wantsLegs} checked={wantsLegs} />
      {hasLegs.value &&
        LEGS.map((leg) => (
          <LegField
            key={leg}
            leg={leg}
            {...FIELDS[leg]}
            groundOf={legGround}
            outcome={legOutcomeText(legs.value[leg])}
            shownAt={shownFor(leg)}
          />
        ))}
    </>
  )
}

/** The reference from which a leg's distance is measured: the order's price. Null without market rules. */
function legGround(leg: LegName): DistanceReference | null {
  const isAbove = (leg === 'TAKE_PROFIT') === (side.value === 'BUY')
  return marketRule.value && { rules: marketRule.value, entry: valuationPrice.value, isAbove }
}

/** The text of a leg's PnL in USDC before fees. */
function legOutcomeText(at: bigint | null): string {
  const { value: from } = valuationPrice
  if (at === null || from === 0n || ticketSize.value === null) return ''
  const won = side.value === 'BUY' ? at - from : from - at
  return `${signed(product(won, ticketSize.value), 2)} USDC`
}
