import { invalid } from '../../core/failure.ts'
import { Decimal, type StrictObject, type StrictValue } from './strict-json.ts'

/** What may stand in a member. `decimal` may be text as well, where the venue's own samples have it so. */
type Kind = 'text' | 'number' | 'flag' | 'decimal' | 'scalar' | Fields

/** The members of an object, or of each object of a list. */
type Fields = { readonly [name: string]: Kind }

const ORDER: Fields = {
  ...{ symbol: 'text', side: 'text', order_type: 'text', client_order_id: 'text' },
  ...{ order_price: 'number', order_quantity: 'number', order_amount: 'number' },
  ...{ visible_quantity: 'number', slippage: 'number', level: 'number' },
  ...{ reduce_only: 'flag', post_only_adjust: 'flag', order_tag: 'text', margin_mode: 'text' },
}

const ALGO_MEMBERS: Fields = {
  ...{ symbol: 'text', algo_type: 'text', client_order_id: 'text', type: 'text', side: 'text' },
  ...{ price: 'number', quantity: 'number', trigger_price: 'number', visible_quantity: 'scalar' },
  ...{ trigger_price_type: 'text', reduce_only: 'flag', order_tag: 'text', margin_mode: 'text' },
  ...{ activatedPrice: 'decimal', callbackRate: 'decimal', callbackValue: 'decimal' },
}

const LEG: Fields = ALGO_MEMBERS
const GROUP: Fields = { ...ALGO_MEMBERS, child_orders: LEG }

const EDITED_MEMBERS: Fields = {
  ...{ order_id: 'decimal', price: 'number', quantity: 'number', trigger_price: 'number' },
  ...{ is_activated: 'scalar', trigger_price_type: 'text', symbol: 'text' },
}

/** The members of a write's body by method and path; a write that is not here is read, and may have any. */
const BODIES: Readonly<Record<string, Fields>> = {
  'POST /v1/order': ORDER,
  'PUT /v1/order': { ...ORDER, order_id: 'decimal' },
  'POST /v1/batch-order': { orders: ORDER },
  'POST /v1/algo/order': { ...ALGO_MEMBERS, child_orders: GROUP },
  'PUT /v1/algo/order': {
    ...EDITED_MEMBERS,
    child_orders: { ...EDITED_MEMBERS, child_orders: EDITED_MEMBERS },
  },
  'POST /v1/client/leverage': { symbol: 'text', leverage: 'number', margin_mode: 'text' },
  'POST /v1/client/leverages': { symbol: 'text', leverage: 'number', margin_mode: 'text' },
  'POST /v1/client/margin_mode': { symbol: 'text', default_margin_mode: 'text' },
  'POST /v1/position_margin': { symbol: 'text', amount: 'decimal', type: 'text' },
}

/** Throws invalid_request for a member that the write does not have, or that is not of its kind. */
export function assertFields(write: string, body: StrictObject): void {
  const fields = Object.hasOwn(BODIES, write) ? BODIES[write] : undefined
  if (fields) assertObject(body, fields, 'body')
}

function assertObject(body: StrictObject, fields: Fields, parent: string): void {
  for (const [name, value] of body) {
    const parameter = `${parent}.${name}`
    const kind = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (kind === undefined) throw invalid(parameter, 'unknown_argument')
    assertKind(value, kind, parameter)
  }
}

function assertKind(value: StrictValue, kind: Kind, parameter: string): void {
  if (typeof kind === 'object') {
    if (!Array.isArray(value)) throw invalid(parameter)
    for (const [at, item] of value.entries()) {
      if (!(item instanceof Map)) throw invalid(`${parameter}.${at}`)
      assertObject(item, kind, `${parameter}.${at}`)
    }
    return
  }
  if (!IS_KIND[kind](value)) throw invalid(parameter)
}

const IS_KIND: Readonly<Record<Exclude<Kind, Fields>, (value: StrictValue) => boolean>> = {
  text: (value) => typeof value === 'string' && value !== '',
  number: (value) => value instanceof Decimal,
  flag: (value) => typeof value === 'boolean',
  decimal: (value) => value instanceof Decimal || (typeof value === 'string' && PLAIN.test(value)),
  scalar: (value) =>
    typeof value === 'string' || typeof value === 'boolean' || value instanceof Decimal,
}

const PLAIN = /^(?=.{1,16}$)(?:0|[1-9]\d*)(?:\.\d+)?$/
