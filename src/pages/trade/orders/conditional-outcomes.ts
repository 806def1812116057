import { CONDITIONALS } from '../../../perp/figure-reads.ts'
import { memberText } from '../../common/exact-json.ts'
import { filledTemplate, unsignedPercent } from '../../common/format.ts'
import { type Conditional, conditionalOrders, toConditional } from '../account/conditional.ts'
import { orderLeg } from '../account/legs.ts'
import { read } from '../account/relay.ts'
import { OPEN_STATUSES } from '../account/rows.ts'
import type { KeptKey } from '../account/trading-key.ts'
import { ACCOUNT_TEXTS } from '../messages/account.ts'
import { PAGE_TEXTS } from '../messages/page.ts'
import { LEGS, type LegName, type LegPrices } from './conditional.ts'
import {
  awaitOutcome,
  latest,
  type OutcomeText,
  placedText,
  type ReadOutcome,
  type WriteLookUp,
} from './outcomes.ts'
import { priceText, sizeText, symbolBase } from './text.ts'

const OUTCOME_TEXTS = ACCOUNT_TEXTS.outcomes

/** Reads the outcome of a placed conditional order, with or without legs. */
export function conditionalOutcome(legs?: LegPrices): ReadOutcome {
  const isFinal = ({ kind, type, status }: Conditional) =>
    kind !== 'BRACKET' || type === 'LIMIT' || !OPEN_STATUSES.has(status)
  return (key, answer) =>
    awaitOutcome(
      () => orderAt(key, memberText(answer, 'order_id')),
      isFinal,
      (order) => conditionalText(order, legs),
    )
}

/** Looks up a conditional order by its client order id. Throws if the venue's rows have no client order ids. */
export function conditionalLookUp(clientOrderId: string, legs?: LegPrices): WriteLookUp {
  return async (key) => {
    const rows = conditionalOrders(await read(key, '/v1/algo/orders?page=1&size=100'))
    const found = rows.find(({ clientId }) => clientId === clientOrderId)
    if (found) return { status: found.status, outcome: conditionalText(found, legs) }
    if (rows.length > 0 && rows.every(({ clientId }) => clientId === ''))
      throw new Error('rows without client order ids')
    return null
  }
}

/** Reads the outcome of an edited conditional order; `isChanged` says whether it has the new values. */
export function conditionalEditedOutcome(
  id: string,
  isChanged: (order: Conditional) => boolean,
): ReadOutcome {
  return (key) =>
    awaitOutcome(
      () => orderAt(key, id),
      (order) => isChanged(order) || !OPEN_STATUSES.has(order.status),
      (order) =>
        isChanged(order)
          ? { kind: 'good', text: `${OUTCOME_TEXTS.changed} ${conditionalText(order).text}` }
          : { kind: 'bad', text: `${OUTCOME_TEXTS.notChanged} ${conditionalText(order).text}` },
    )
}

/** Reads the outcome of cancelling a conditional order. */
export function conditionalCancelledOutcome(id: string): ReadOutcome {
  return (key) =>
    awaitOutcome(
      () => orderAt(key, id),
      ({ status }) => !OPEN_STATUSES.has(status),
      (order) => {
        const { status, isTriggered } = order
        if (OPEN_STATUSES.has(status)) return { kind: 'bad', text: OUTCOME_TEXTS.notCancelled }
        return status === 'FILLED' || isTriggered
          ? { kind: 'bad', text: OUTCOME_TEXTS.triggeredBefore }
          : { kind: 'good', text: cancelledText(order) }
      },
    )
}

/** A conditional order from the list of waiting orders, else as it has ended. */
async function orderAt(key: KeptKey, id: string): Promise<Conditional> {
  const waiting = conditionalOrders(await latest(CONDITIONALS))
  const listed = waiting.find((order) => order.id === id)
  return listed ?? toConditional(await read(key, `/v1/algo/order/${id}`))
}

/** The text of a conditional order: the trigger that it waits for, or the way in which it ended. */
function conditionalText(order: Conditional, legs?: LegPrices): OutcomeText {
  const { kind, status, symbol, side, size, isTriggered } = order
  if (kind === 'BRACKET') {
    const { text, kind: tone } = placedText(order)
    return tone === 'good'
      ? { kind: tone, text: `${text} ${legsText(order, legs)}` }
      : { kind: tone, text }
  }
  if (status === 'REJECTED') return { kind: 'bad', text: OUTCOME_TEXTS.rejected }
  if (isTriggered) return { kind: 'good', text: OUTCOME_TEXTS.triggered }
  if (!OPEN_STATUSES.has(status)) return { kind: 'bad', text: cancelledText(order) }
  const values = {
    ...{ side: PAGE_TEXTS.side[side], size: sizeText(symbol, size), base: symbolBase(symbol) },
    trigger: triggerText(order),
  }
  if (size === 0n)
    return { kind: 'good', text: filledTemplate(OUTCOME_TEXTS.waitsForPosition, values) }
  return { kind: 'good', text: filledTemplate(OUTCOME_TEXTS.waits, values) }
}

function cancelledText(order: Conditional): string {
  const { symbol, kind } = order
  const what = [ACCOUNT_TEXTS.lists.kinds[kind] ?? kind, triggerText(order)]
    .filter(Boolean)
    .join(', ')
  return filledTemplate(OUTCOME_TEXTS.conditionalCancelled, { base: symbolBase(symbol), what })
}

function legsText(order: Conditional, legs?: LegPrices): string {
  if (order.children.length > 0)
    return filledTemplate(OUTCOME_TEXTS.withLegs, { trigger: triggerText(order) })
  const [only, other] = LEGS.filter((leg) => legs?.[leg])
  return OUTCOME_TEXTS.legsApart[only && !other ? only : 'both']
}

/** The side on which a conditional order trades: the side of its legs if they close a position. */
export function tradedSide({ side, kind, children: [child] }: Conditional): Conditional['side'] {
  return child && kind !== 'BRACKET' ? child.side : side
}

/** The text of what triggers an order: a stop's trigger, a trailing stop's distance, or the triggers of the legs. */
export function triggerText(order: Conditional): string {
  const { symbol, trigger, kind } = order
  if (kind === 'TRAILING_STOP') return trailText(order)
  if (trigger !== null) return priceText(symbol, trigger)
  return legPrices(order)
    .map(([leg, at]) => `${ACCOUNT_TEXTS.lists.legs[leg]} ${priceText(symbol, at)}`)
    .join(' · ')
}

function trailText({ symbol, callback, callbackValue, trigger, activation }: Conditional): string {
  const behind =
    callback === null ? priceText(symbol, callbackValue ?? 0n) : unsignedPercent(callback)
  const values = {
    behind,
    trigger: priceText(symbol, trigger ?? 0n),
    activation: priceText(symbol, activation ?? 0n),
  }
  if (trigger !== null) return filledTemplate(ACCOUNT_TEXTS.lists.trails, values)
  return filledTemplate(
    activation === null ? ACCOUNT_TEXTS.lists.trailsSoon : ACCOUNT_TEXTS.lists.trailsFrom,
    values,
  )
}

/** The waiting legs of an order with their triggers. */
export function legPrices(order: Conditional): readonly (readonly [LegName, bigint])[] {
  return LEGS.flatMap((leg) => {
    const at = orderLeg(order, leg)?.trigger
    return at ? [[leg, at] as const] : []
  })
}
