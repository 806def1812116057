/** The sentence and HTTP status of a failure. */
export type RefusalRow = {
  readonly status: number
  readonly error: string
  readonly retryAfterSeconds?: number
}

export type FailureRow = Pick<RefusalRow, 'status' | 'error'> & {
  /**
   * Whether the same read may be sent again. A write may be sent again only after `meta.retryAfterSeconds`, if given.
   */
  readonly retryable: boolean
}

/** The closed list of failures: code, HTTP status and the sentence for users. */
export const FAILURES = {
  invalid_request: { status: 400, error: 'A parameter is missing or malformed.', retryable: false },
  invalid_address: {
    status: 400,
    error: 'Give a wallet address: 0x and 40 hex characters.',
    retryable: false,
  },
  unsupported_chain: { status: 400, error: 'This chain is not supported.', retryable: false },
  unsupported_token: { status: 400, error: 'This token is not supported.', retryable: false },
  invalid_signature: {
    status: 401,
    error: 'The signature does not match what was sent.',
    retryable: false,
  },
  expired_signature: {
    status: 401,
    error: 'The signature is more than five minutes old. Sign again.',
    retryable: false,
  },
  unauthorized: {
    status: 401,
    error: 'Credentials are missing, expired or not sufficient.',
    retryable: false,
  },
  forbidden: { status: 403, error: 'This is not allowed here.', retryable: false },
  mandate_exceeded: {
    status: 403,
    error: 'A limit of the account does not allow this. Nothing was sent.',
    retryable: false,
  },
  approval_required: {
    status: 403,
    error: 'The owner of the account has to approve this. Nothing was sent.',
    retryable: false,
  },
  not_found: { status: 404, error: 'There is nothing here.', retryable: false },
  no_route: { status: 404, error: 'No route was found for this swap.', retryable: false },
  method_not_allowed: {
    status: 405,
    error: 'This method is not supported here.',
    retryable: false,
  },
  duplicate_request: { status: 409, error: 'This request was already made.', retryable: false },
  account_restricted: {
    status: 409,
    error: 'The account cannot do this right now.',
    retryable: false,
  },
  outcome_unknown: {
    status: 409,
    error: 'The outcome is not known. Look before you send again.',
    retryable: false,
  },
  payload_too_large: { status: 413, error: 'The request body is too large.', retryable: false },
  unsupported_media_type: {
    status: 415,
    error: 'Send the body as application/json.',
    retryable: false,
  },
  order_rejected: { status: 422, error: 'The order was rejected.', retryable: false },
  insufficient_margin: {
    status: 422,
    error: 'The account does not have enough margin.',
    retryable: false,
  },
  price_out_of_range: {
    status: 422,
    error: 'The price is outside the market’s bounds or off its tick.',
    retryable: false,
  },
  size_out_of_range: {
    status: 422,
    error: 'The size is outside the market’s bounds or off its step.',
    retryable: false,
  },
  notional_too_small: {
    status: 422,
    error: 'The order’s value is below the market’s minimum.',
    retryable: false,
  },
  amount_too_low: { status: 422, error: 'The amount is too low.', retryable: false },
  amount_too_high: { status: 422, error: 'The amount is too high.', retryable: false },
  venue_rejected: { status: 422, error: 'The venue refused the request.', retryable: false },
  rate_limited: {
    status: 429,
    error: 'Too many requests. Wait a moment and try again.',
    retryable: true,
  },
  internal: { status: 500, error: 'Something went wrong on our side.', retryable: false },
  upstream_unavailable: {
    status: 502,
    error: 'The venue cannot be reached right now.',
    retryable: true,
  },
  upstream_busy: {
    status: 503,
    error: 'The venue is busy. Wait a moment and try again.',
    retryable: true,
  },
  store_unavailable: {
    status: 503,
    error: 'Records cannot be kept right now. Nothing was sent. Try again in a moment.',
    retryable: true,
  },
  not_available: {
    status: 503,
    error: 'This is not available right now. Nothing was sent.',
    retryable: true,
  },
  not_configured: {
    status: 503,
    error: 'This is not configured on this deployment.',
    retryable: false,
  },
  upstream_timeout: { status: 504, error: 'The venue took too long to answer.', retryable: true },
} as const satisfies Record<string, FailureRow>

export type FailureCode = keyof typeof FAILURES

export function isFailureCode(code: string): code is FailureCode {
  return Object.hasOwn(FAILURES, code)
}

type ReasonRow = {
  /** The failure codes that can have this reason. */
  readonly codes: readonly FailureCode[]
  readonly meaning: string
}

const INPUT = ['invalid_request'] as const satisfies readonly FailureCode[]
const GONE = ['not_found'] as const satisfies readonly FailureCode[]
const KEY = ['unauthorized'] as const satisfies readonly FailureCode[]
const ROUTE = ['no_route'] as const satisfies readonly FailureCode[]
const LIMIT = ['mandate_exceeded'] as const satisfies readonly FailureCode[]

/** The closed list of `meta.reason`, each with its failure codes and its meaning for the named parameter. */
// biome-ignore format: one reason a row
export const REASONS = {
  missing: { codes: INPUT, meaning: 'A required parameter is missing.' },
  malformed: { codes: ['invalid_request', 'invalid_address'], meaning: 'The value does not have the expected format.' },
  repeated: { codes: INPUT, meaning: 'The parameter or member is given more than once.' },
  conflicting: { codes: ['invalid_request', 'invalid_address', 'not_found'], meaning: 'The value contradicts another part of the request or of the state.' },
  too_short: { codes: INPUT, meaning: 'The value has too few characters or entries.' },
  too_long: { codes: INPUT, meaning: 'The value has too many characters or entries.' },
  out_of_range: { codes: ['invalid_request', 'price_out_of_range', 'size_out_of_range', 'notional_too_small'], meaning: 'The value is below the minimum or above the maximum.' },
  clock: { codes: ['invalid_request', 'expired_signature'], meaning: 'The signed time and the clock of this service differ by more than five minutes: `signedAtMs` and `serverAtMs` are the two times.' },
  not_a_multiple: { codes: ['price_out_of_range', 'size_out_of_range'], meaning: 'The value is not a multiple of the market’s tick.' },
  price_range: { codes: ['price_out_of_range'], meaning: 'The price is further from the mark price than the market allows.' },
  in_use: { codes: INPUT, meaning: 'The market has a position or open orders.' },
  unknown_argument: { codes: INPUT, meaning: 'There is no argument of this name.' },
  spent: { codes: INPUT, meaning: 'The value was used before, was never issued, or has expired.' },
  not_json: { codes: INPUT, meaning: 'The text is not JSON.' },
  not_utf8: { codes: INPUT, meaning: 'The body is not UTF-8.' },
  too_deep: { codes: INPUT, meaning: 'The JSON is nested too deeply.' },
  late: { codes: INPUT, meaning: 'The body is incomplete, or did not arrive in time.' },
  holds_key: { codes: INPUT, meaning: 'The request has a key in a place that is written to logs.' },
  unknown_route: { codes: GONE, meaning: 'There is no route with this path.' },
  unknown_operation: { codes: GONE, meaning: 'There is no operation with this id.' },
  unknown_market: { codes: GONE, meaning: 'There is no market with this symbol.' },
  unknown_topic: { codes: GONE, meaning: 'There is no topic with this name.' },
  no_position: { codes: GONE, meaning: 'No position is open in this market.' },
  unknown_chain: { codes: ['unsupported_chain'], meaning: 'No chain with this name or id is supported.' },
  unknown_token: { codes: ['unsupported_token'], meaning: 'There is no such token on this chain.' },
  ambiguous: { codes: ['unsupported_token'], meaning: 'Several tokens have this symbol.' },
  would_trade: { codes: ['order_rejected'], meaning: 'A post-only order at this price would trade at once.' },
  data_dir: { codes: ['not_configured'], meaning: 'The data directory could not be opened.' },
  blocked: { codes: ['forbidden'], meaning: 'The operator has blocked the caller or the account.' },
  no_mandate: { codes: ['forbidden'], meaning: 'The account’s wallet has signed no mandate.' },
  not_relayed: { codes: ['forbidden'], meaning: 'The relay does not forward this path or method.' },
  operator_only: { codes: ['forbidden'], meaning: 'Only the operator may do this.' },
  foreign_host: { codes: ['forbidden'], meaning: 'The `Host` header is not a name of this service.' },
  foreign_origin: { codes: ['forbidden'], meaning: 'The origin of the calling page is not on the allowlist.' },
  one_account: { codes: ['forbidden'], meaning: 'The connection is already authenticated for another account.' },
  contract_wallet: { codes: ['invalid_signature'], meaning: 'Contract wallets are not supported.' },
  key_expired: { codes: KEY, meaning: 'The trading key has expired.' },
  key_unknown: { codes: KEY, meaning: 'The trading key is not bound to the account.' },
  scope: { codes: KEY, meaning: 'The scope of the trading key does not allow this.' },
  credentials: { codes: KEY, meaning: 'The venue did not say what is wrong with the credentials.' },
  no_path: { codes: ROUTE, meaning: 'There is no route between these tokens.' },
  insufficient_liquidity: { codes: ROUTE, meaning: 'The liquidity is too low for this amount.' },
  recipient_not_supported: { codes: ROUTE, meaning: 'No route can pay out to this wallet.' },
  slippage_too_low: { codes: ROUTE, meaning: 'No route stays within this slippage.' },
  order_value: { codes: LIMIT, meaning: 'The value of the order would be above the maximum.' },
  daily_value: { codes: LIMIT, meaning: 'The value of the orders, or of the internal transfers, in 24 hours would be above the maximum.' },
  position: { codes: LIMIT, meaning: 'The value of the position with its open and waiting orders would be above the maximum.' },
  loss: { codes: LIMIT, meaning: 'The loss of the account in 24 hours has reached the maximum.' },
  leverage: { codes: LIMIT, meaning: 'The leverage would be above the maximum.' },
  rate: { codes: LIMIT, meaning: 'The maximum number of orders per minute is reached.' },
  symbol: { codes: LIMIT, meaning: 'The market is not one of the allowed markets.' },
  reduce_only: { codes: LIMIT, meaning: 'Only cancels and reduce-only orders are allowed.' },
  read_only: { codes: LIMIT, meaning: 'With a read-only mandate, the relay sends only cancels and reduce-only orders. A read-only agent sends no writes at all.' },
  expired: { codes: LIMIT, meaning: 'The end time of the limits has passed: only cancels and reduce-only orders are sent.' },
  frozen: { codes: LIMIT, meaning: 'The account is frozen: only cancels and reduce-only orders are sent.' },
  restored: { codes: ['not_available'], meaning: 'Records were lost: only cancels and reduce-only orders are sent until the loss is confirmed.' },
  unknown: { codes: LIMIT, meaning: 'prepd cannot check the limit: the positions and orders of the account, or the worst case of the write, are unknown.' },
  too_many: { codes: ['approval_required', 'forbidden'], meaning: 'The account has the maximum number of writes that wait for approval, or of webhooks.' },
  sub_account: { codes: ['approval_required'], meaning: 'This is a sub-account: prepd cannot derive its id from the address of its owner, so approval is impossible.' },
  decided: { codes: ['forbidden'], meaning: 'The approval was decided before, or its time is over.' },
  not_owner: { codes: ['forbidden'], meaning: 'The wallet is not the owner of the account.' },
  price_impact: { codes: ROUTE, meaning: 'The swap would move the price too far.' },
} as const satisfies Record<string, ReasonRow>

export type Reason = keyof typeof REASONS

/** The reasons of one failure. */
export type ReasonOf<Code extends FailureCode> = {
  [Name in Reason]: Code extends (typeof REASONS)[Name]['codes'][number] ? Name : never
}[Reason]
