import { textOf } from '../../common/exact-json.ts'
import { fill, percent } from '../../common/format.ts'
import { type Conditional, conditionalOf, conditionalsOf, legOf } from '../account/conditional.ts'
import { read } from '../account/relay.ts'
import { A } from '../messages/account.ts'
import { M } from '../messages/page.ts'
import { LEGS, type LegName } from './conditional.ts'
import {
  type LookUp,
  noneLeftOutcome,
  OPEN,
  type Outcome,
  type OutcomeOf,
  placedText,
  settled,
} from './outcomes.ts'
import { baseOf, priceText, sizeText } from './text.ts'

const O = A.outcomes

/** What became of a conditional order that was placed. */
export const conditionalOutcome: OutcomeOf = (key, answer) => {
  const path = `/v1/algo/order/${textOf(answer, 'order_id')}`
  const isFinal = ({ kind, type, status }: Conditional) =>
    kind !== 'BRACKET' || type === 'LIMIT' || !OPEN.has(status)
  return outcomeOf(async () => conditionalOf(await read(key, path)), isFinal, conditionalText)
}

/** Looks for a conditional order by its client order id. Throws where the venue's rows name none. */
export function conditionalLookUp(clientOrderId: string): LookUp {
  return async (key) => {
    const rows = conditionalsOf(await read(key, '/v1/algo/orders?page=1&size=100'))
    const found = rows.find(({ clientId }) => clientId === clientOrderId)
    if (found) return { status: found.status, outcome: conditionalText(found) }
    if (rows.length > 0 && rows.every(({ clientId }) => clientId === ''))
      throw new Error('the rows of this venue name no client order ids')
    return null
  }
}

/** What became of a conditional order that was changed: `isChanged` knows its new values. */
export function conditionalEditedOutcome(
  id: string,
  isChanged: (order: Conditional) => boolean,
): OutcomeOf {
  return (key) =>
    outcomeOf(
      async () => conditionalOf(await read(key, `/v1/algo/order/${id}`)),
      (order) => isChanged(order) || !OPEN.has(order.status),
      (order) =>
        isChanged(order)
          ? { kind: 'good', text: `${O.changed} ${conditionalText(order).text}` }
          : { kind: 'bad', text: `${O.notChanged} ${conditionalText(order).text}` },
    )
}

/** What became of a conditional order that was to be cancelled. */
export function conditionalCancelledOutcome(id: string): OutcomeOf {
  return (key) =>
    outcomeOf(
      async () => conditionalOf(await read(key, `/v1/algo/order/${id}`)),
      ({ status }) => !OPEN.has(status),
      ({ status, isTriggered }) => {
        if (OPEN.has(status)) return { kind: 'bad', text: O.notCancelled }
        return status === 'FILLED' || isTriggered
          ? { kind: 'bad', text: O.triggeredBefore }
          : { kind: 'good', text: O.conditionalCancelled }
      },
    )
}

/** Whether any conditional order still waits. */
export const conditionalsCancelledOutcome = noneLeftOutcome(
  '/v1/algo/orders?status=INCOMPLETE&page=1&size=100',
)

async function outcomeOf(
  load: () => Promise<Conditional>,
  isFinal: (order: Conditional) => boolean,
  textOfOrder: (order: Conditional) => Outcome,
): Promise<Outcome> {
  const order = await settled(load, isFinal)
  return order ? textOfOrder(order) : { kind: 'wait', text: O.unknown }
}

/** What a conditional order waits for, or how it ended. */
function conditionalText(order: Conditional): Outcome {
  const { kind, status, symbol, side, size, isTriggered } = order
  if (kind === 'BRACKET') {
    const { text, kind: tone } = placedText(order)
    return tone === 'good'
      ? { kind: tone, text: `${text} ${legsText(order)}` }
      : { kind: tone, text }
  }
  if (status === 'REJECTED') return { kind: 'bad', text: O.rejected }
  if (isTriggered) return { kind: 'good', text: O.triggered }
  if (!OPEN.has(status)) return { kind: 'bad', text: O.conditionalCancelled }
  const values = {
    ...{ side: M.side[side], size: sizeText(symbol, size), base: baseOf(symbol) },
    trigger: triggerText(order),
  }
  if (size === 0n) return { kind: 'good', text: fill(O.waitsForPosition, values) }
  return { kind: 'good', text: fill(O.waits, values) }
}

function legsText(order: Conditional): string {
  return order.children.length > 0 ? fill(O.withLegs, { trigger: triggerText(order) }) : O.legsApart
}

/** Which mark sends an order: that of a stop, how far a trailing stop stays behind, or those of its legs. */
export function triggerText(order: Conditional): string {
  const { symbol, trigger, kind } = order
  if (kind === 'TRAILING_STOP') return trailText(order)
  if (trigger !== null) return priceText(symbol, trigger)
  return legPrices(order)
    .map(([leg, at]) => `${A.lists.legs[leg]} ${priceText(symbol, at)}`)
    .join(' · ')
}

function trailText({ symbol, callback, callbackValue, trigger, activation }: Conditional): string {
  const behind =
    callback === null ? priceText(symbol, callbackValue ?? 0n) : percent(callback, 2).slice(1)
  const values = {
    behind,
    trigger: priceText(symbol, trigger ?? 0n),
    activation: priceText(symbol, activation ?? 0n),
  }
  if (trigger !== null) return fill(A.lists.trails, values)
  return fill(activation === null ? A.lists.trailsSoon : A.lists.trailsFrom, values)
}

/** The legs of an order that wait, with their triggers. */
export function legPrices(order: Conditional): readonly (readonly [LegName, bigint])[] {
  return LEGS.flatMap((leg) => {
    const at = legOf(order, leg)?.trigger
    return at ? [[leg, at] as const] : []
  })
}
