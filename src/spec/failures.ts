/** What is said of something that went wrong, and with which status. */
export type RefusalRow = {
  readonly status: number
  readonly error: string
  readonly retryAfterSeconds?: number
}

export type FailureRow = Pick<RefusalRow, 'status' | 'error'> & {
  /** Whether the same read may be sent again. A write whose outcome is unknown is never retryable. */
  readonly retryable: boolean
}

/** The closed list of failures: code, HTTP status and the one sentence a user may be shown. */
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
