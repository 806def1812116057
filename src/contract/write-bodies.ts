/** The type of a member's value. A `decimal` may also be a string, as in the venue's samples. */
type Kind = 'text' | 'number' | 'flag' | 'decimal' | 'scalar'

/** A condition: the values of other members for which a rule applies. */
export type MemberCondition = { readonly [member: string]: readonly string[] }

/** One member of a write's body: a value, or a list of objects. */
export type BodyMember = {
  readonly kind: Kind | BodyMembers
  /** Whether the venue requires the member: always, or only for these values of other members. */
  readonly required?: true | MemberCondition
  /** The name of the alternative member. A body has exactly one of the two members. */
  readonly instead?: string
  /** The member is allowed only for these values of other members. */
  readonly only?: MemberCondition
  readonly words?: readonly string[]
  readonly pattern?: RegExp
  readonly maxChars?: number
  /** Minimum of a number (inclusive). */
  readonly min?: number
  /** Lower bound of a number (exclusive). */
  readonly above?: number
  readonly max?: number
  /** The expected form in words. */
  readonly expected?: string
}

/** The members of an object, or of each object of a list. */
export type BodyMembers = { readonly [name: string]: BodyMember }

const text: BodyMember = { kind: 'text' }
const flag: BodyMember = { kind: 'flag', expected: 'true or false.' }
const scalar: BodyMember = { kind: 'scalar' }
const positive: BodyMember = { kind: 'number', above: 0, expected: 'A number above 0.' }
const positiveDecimal: BodyMember = { ...positive, kind: 'decimal' }

const SYMBOL: BodyMember = {
  kind: 'text',
  required: true,
  expected: 'A market, for example PERP_ETH_USDC.',
}
const SIDE: BodyMember = { kind: 'text', words: ['BUY', 'SELL'] }
const MARGIN_MODE: BodyMember = { kind: 'text', words: ['CROSS', 'ISOLATED'] }
const ORDER_ID: BodyMember = {
  kind: 'decimal',
  required: true,
  expected: 'The id of an open order.',
}

const LABELS: BodyMembers = {
  client_order_id: {
    kind: 'text',
    pattern: /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/,
    maxChars: 36,
    expected: 'Up to 36 letters, digits, dots, underscores and hyphens, no hyphen first.',
  },
  order_tag: { kind: 'text', maxChars: 128, expected: 'Up to 128 characters.' },
}

/** Order types whose price the caller sets. Orders of the other types take their price from the book. */
const CALLER_PRICED_TYPES = ['LIMIT', 'IOC', 'FOK', 'POST_ONLY']
const BOOK_PRICED_TYPES = ['MARKET', 'ASK', 'BID']

// biome-ignore format: one member a line
const ORDER: BodyMembers = {
  symbol: SYMBOL,
  side: { ...SIDE, required: true },
  order_type: { kind: 'text', required: true, words: [...CALLER_PRICED_TYPES, ...BOOK_PRICED_TYPES] },
  order_price: { ...positive, required: { order_type: CALLER_PRICED_TYPES } },
  order_quantity: { ...positive, required: true, instead: 'order_amount' },
  order_amount: { ...positive, only: { order_type: BOOK_PRICED_TYPES } },
  visible_quantity: { kind: 'number', min: 0, only: { order_type: ['LIMIT', 'IOC', 'FOK', ...BOOK_PRICED_TYPES] } },
  slippage: { kind: 'number', above: 0, max: 1, expected: 'A fraction above 0, at most 1.' },
  level: { kind: 'number', min: 0, max: 4, only: { order_type: ['ASK', 'BID'] }, expected: '0 to 4.' },
  reduce_only: flag,
  post_only_adjust: flag,
  margin_mode: MARGIN_MODE,
  ...LABELS,
}

const EDITED_ORDER: BodyMembers = {
  ...ORDER,
  order_id: ORDER_ID,
  side: SIDE,
  order_type: text,
  order_price: positive,
  order_quantity: positive,
}

const SENT = ['STOP', 'BRACKET', 'TRAILING_STOP']
const SIZED = [...SENT, 'TP_SL']
const LEGS = ['TAKE_PROFIT', 'STOP_LOSS']

/** The members of an algo order and its legs. */
const ALGO_MEMBERS: BodyMembers = {
  symbol: text,
  algo_type: text,
  side: { ...SIDE, required: { algo_type: [...SENT, ...LEGS] } },
  type: {
    kind: 'text',
    required: { algo_type: [...SENT, ...LEGS] },
    words: ['LIMIT', 'MARKET', 'CLOSE_POSITION'],
  },
  price: { ...positive, required: { type: ['LIMIT'] } },
  quantity: { ...positive, required: { algo_type: SIZED } },
  trigger_price: { ...positive, required: { algo_type: ['STOP', ...LEGS] } },
  trigger_price_type: { kind: 'text', words: ['MARK_PRICE'] },
  activatedPrice: positiveDecimal,
  callbackRate: {
    ...{ kind: 'decimal', above: 0, max: 1, expected: 'A fraction above 0, below 1.' },
    ...{ required: { algo_type: ['TRAILING_STOP'] }, instead: 'callbackValue' },
  },
  callbackValue: positiveDecimal,
  visible_quantity: scalar,
  reduce_only: flag,
  margin_mode: MARGIN_MODE,
  ...LABELS,
}

const LEG: BodyMembers = {
  ...ALGO_MEMBERS,
  quantity: positive,
  algo_type: { kind: 'text', required: true, words: [...LEGS, 'TP_SL', 'POSITIONAL_TP_SL'] },
}

const ALGO_ORDER: BodyMembers = {
  ...ALGO_MEMBERS,
  symbol: SYMBOL,
  algo_type: { kind: 'text', required: true, words: [...SIZED, 'POSITIONAL_TP_SL'] },
  child_orders: {
    kind: { ...LEG, child_orders: { kind: LEG } },
    required: { algo_type: ['BRACKET', 'TP_SL', 'POSITIONAL_TP_SL'] },
    expected: 'The legs of the order.',
  },
}

const EDITED_ALGO: BodyMembers = {
  order_id: ORDER_ID,
  price: positive,
  quantity: positive,
  trigger_price: positive,
  is_activated: scalar,
  trigger_price_type: { kind: 'text', words: ['MARK_PRICE'] },
  symbol: text,
}

const LEVERAGE: BodyMembers = {
  symbol: text,
  leverage: {
    kind: 'number',
    required: true,
    min: 1,
    max: 100,
    expected: 'An integer from 1 to 100.',
  },
  margin_mode: MARGIN_MODE,
}

/**
 * The members that the venue accepts in the body of a write, by method and path. A call without a row only reads,
 * despite its method; its body may have any member.
 */
export const WRITE_BODIES: Readonly<Record<string, BodyMembers>> = {
  'POST /v1/order': ORDER,
  'PUT /v1/order': EDITED_ORDER,
  'POST /v1/batch-order': {
    orders: { kind: ORDER, required: true, expected: 'A list of orders.' },
  },
  'POST /v1/algo/order': ALGO_ORDER,
  'PUT /v1/algo/order': {
    ...EDITED_ALGO,
    child_orders: { kind: { ...EDITED_ALGO, child_orders: { kind: EDITED_ALGO } } },
  },
  'POST /v1/client/leverage': LEVERAGE,
  'POST /v1/client/leverages': LEVERAGE,
  'POST /v1/client/margin_mode': {
    symbol: SYMBOL,
    default_margin_mode: { ...MARGIN_MODE, required: true },
  },
  'POST /v1/position_margin': {
    symbol: SYMBOL,
    amount: { ...positiveDecimal, required: true },
    type: { kind: 'text', required: true, words: ['ADD', 'REDUCE'] },
  },
}
