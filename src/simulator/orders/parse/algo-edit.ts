import { isObject } from '../../../core/json.ts'
import { decimalField, type Fields, integerField } from '../../messages/body.ts'
import { refusal } from '../../messages/refusals.ts'
import type { Account, AlgoOrder } from '../../state/state.ts'
import type { AlgoChange } from '../conditional/edit.ts'
import { partsIn } from '../conditional/place.ts'
import { algoRoot, algoSubtree, isGroup } from '../conditional/tree.ts'
import { triggerTypeField } from './algo-order.ts'
import { toPriceTicks, toQuantitySteps } from './order.ts'

/**
 * PUT /v1/algo/order: changes prices, triggers and quantities of a waiting algo order and its legs. All legs of a TP_SL
 * order have the order's quantity, so a change of quantity must name every leg. Throws -1006 for an unknown order,
 * -1005 for a value that cannot change.
 */
export function parseAlgoEdit(fields: Fields, account: Account) {
  const algo = findPart(account, fields)
  const changes = parseChanges(account, fields)
  if (changes.every(({ price, quantity, trigger }) => (price ?? quantity ?? trigger) === null))
    throw refusal('parameter', 'price, quantity or trigger_price is required')
  checkQuantities(algo, changes)
  return { algo: algoRoot(algo).id, changes }
}

/** The part of an open algo order that a change refers to. */
function findPart(account: Account, fields: Fields): AlgoOrder {
  const id = integerField(fields, 'order_id', 1, Number.MAX_SAFE_INTEGER)
  if (id === undefined) throw refusal('parameter', 'order_id is required')
  const part = partsIn(account).find((each) => each.id === id)
  if (!part) throw refusal('notFound')
  return part
}

function parseChanges(account: Account, fields: Fields): AlgoChange[] {
  const part = findPart(account, fields)
  triggerTypeField(fields)
  const { market } = part.marketAccount
  const price = positiveField(fields, 'price', 'price')
  const trigger = positiveField(fields, 'trigger_price', 'price')
  const quantity = positiveField(fields, 'quantity', 'size')
  const children = fields['child_orders'] ?? []
  if (!Array.isArray(children) || !children.every(isObject))
    throw refusal('parameter', 'child_orders must be a list of orders')
  const own = {
    algo: part.id,
    price: price === null ? null : toPriceTicks(price, market),
    trigger: trigger === null ? null : toPriceTicks(trigger, market),
    quantity: quantity === null ? null : toQuantitySteps(quantity, market, 'quantity'),
  }
  return [own, ...children.flatMap((child) => parseChanges(account, child))]
}

function positiveField(fields: Fields, name: string, offGrid: 'price' | 'size'): bigint | null {
  const value = decimalField(fields, name, offGrid)
  if (value !== undefined && value <= 0n)
    throw refusal('parameter', `${name} must be a positive number`)
  return value ?? null
}

/** Checks that a group and its legs get the same quantity. */
function checkQuantities(algo: AlgoOrder, changes: readonly AlgoChange[]): void {
  const changed = new Map(changes.map(({ algo: id, quantity }) => [id, quantity]))
  for (const group of algoSubtree(algoRoot(algo)).filter(isGroup)) {
    const quantities = algoSubtree(group).map(({ id }) => changed.get(id) ?? null)
    if (new Set(quantities).size > 1)
      throw refusal('parameter', 'quantity must be the same for the order and all its child orders')
  }
}
