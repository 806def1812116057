import type { FailureCode } from '../failures.ts'

type ReasonRow = {
  /** The failures that it explains. */
  readonly codes: readonly FailureCode[]
  readonly meaning: string
}

const INPUT = ['invalid_request'] as const satisfies readonly FailureCode[]
const GONE = ['not_found'] as const satisfies readonly FailureCode[]
const KEY = ['unauthorized'] as const satisfies readonly FailureCode[]
const ROUTE = ['no_route'] as const satisfies readonly FailureCode[]

/** The closed list of `meta.reason`: which failures it explains, and what it says of the parameter beside it. */
// biome-ignore format: one reason a row
export const REASONS = {
  missing: { codes: INPUT, meaning: 'It has to be there.' },
  malformed: { codes: ['invalid_request', 'invalid_address'], meaning: 'It is not of the form that is expected.' },
  repeated: { codes: INPUT, meaning: 'It may stand there once.' },
  conflicting: { codes: ['invalid_request', 'invalid_address', 'not_found'], meaning: 'It does not go with what else was sent.' },
  too_short: { codes: INPUT, meaning: 'It has too few characters or entries.' },
  too_long: { codes: INPUT, meaning: 'It has too many characters or entries.' },
  out_of_range: { codes: ['invalid_request', 'price_out_of_range', 'size_out_of_range', 'notional_too_small'], meaning: 'It is below the smallest or above the largest value.' },
  not_a_multiple: { codes: ['price_out_of_range', 'size_out_of_range'], meaning: 'It is no multiple of the market’s tick.' },
  unknown_argument: { codes: INPUT, meaning: 'Nothing of this name is taken here.' },
  spent: { codes: INPUT, meaning: 'It was used before, was never given out, or has expired.' },
  not_json: { codes: INPUT, meaning: 'It is not JSON.' },
  not_utf8: { codes: INPUT, meaning: 'It is not UTF-8.' },
  too_deep: { codes: INPUT, meaning: 'It nests deeper than is read.' },
  late: { codes: INPUT, meaning: 'It did not come whole, or not in time.' },
  holds_key: { codes: INPUT, meaning: 'A key stands where it would be written into logs.' },
  unknown_route: { codes: GONE, meaning: 'There is no route of this path.' },
  unknown_operation: { codes: GONE, meaning: 'There is no operation of this id.' },
  unknown_market: { codes: GONE, meaning: 'There is no market of this symbol.' },
  unknown_topic: { codes: GONE, meaning: 'There is no topic of this name.' },
  no_position: { codes: GONE, meaning: 'No position is open in this market.' },
  unknown_chain: { codes: ['unsupported_chain'], meaning: 'No chain of this name or id is served.' },
  unknown_token: { codes: ['unsupported_token'], meaning: 'There is no such token on this chain.' },
  ambiguous: { codes: ['unsupported_token'], meaning: 'Several tokens have this symbol.' },
  would_trade: { codes: ['order_rejected'], meaning: 'A post-only order at this price would trade at once.' },
  data_dir: { codes: ['not_configured'], meaning: 'The data directory could not be opened.' },
  blocked: { codes: ['forbidden'], meaning: 'The operator has blocked the caller or the account.' },
  not_relayed: { codes: ['forbidden'], meaning: 'It is not on the list of what is relayed.' },
  foreign_host: { codes: ['forbidden'], meaning: 'The Host is none of this service’s names.' },
  foreign_origin: { codes: ['forbidden'], meaning: 'The page that asks is of an origin that may not.' },
  one_account: { codes: ['forbidden'], meaning: 'The connection has proved another account.' },
  key_expired: { codes: KEY, meaning: 'The trading key has expired.' },
  key_unknown: { codes: KEY, meaning: 'The trading key is not bound to the account.' },
  scope: { codes: KEY, meaning: 'The trading key may not do this.' },
  credentials: { codes: KEY, meaning: 'The venue did not say what is wrong with the credentials.' },
  no_path: { codes: ROUTE, meaning: 'Nobody routes between these tokens.' },
  insufficient_liquidity: { codes: ROUTE, meaning: 'There is too little to swap this much.' },
  recipient_not_supported: { codes: ROUTE, meaning: 'Nobody can pay out to this wallet.' },
  slippage_too_low: { codes: ROUTE, meaning: 'Nobody stays within this slippage.' },
  price_impact: { codes: ROUTE, meaning: 'The swap would move the price too far.' },
} as const satisfies Record<string, ReasonRow>

export type Reason = keyof typeof REASONS

/** The reasons of one failure. */
export type ReasonOf<Code extends FailureCode> = {
  [Name in Reason]: Code extends (typeof REASONS)[Name]['codes'][number] ? Name : never
}[Reason]
