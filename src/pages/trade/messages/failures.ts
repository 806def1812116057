import type { FailureCode } from '../../../contract/failures.ts'

export type FailureMessage = { readonly text: string; readonly next: string }

/** The text and next step of each failure code on this page. */
// biome-ignore format: one failure a row
export const FAILURE_MESSAGES = {
  invalid_request: { text: 'A value is invalid.', next: 'Check the fields.' },
  invalid_address: { text: 'The wallet address was not accepted.', next: 'Connect the wallet again.' },
  unsupported_chain: { text: 'The venue does not take this chain.', next: 'Switch the wallet to a listed chain.' },
  unsupported_token: { text: 'The venue does not take this token.', next: 'Choose another token.' },
  invalid_signature: { text: 'The signature does not fit.', next: 'Sign with the account that was connected.' },
  expired_signature: { text: 'The signature is too old.', next: 'Sign again, or check this device’s clock.' },
  unauthorized: { text: 'The trading key is expired, removed or not permitted to do this.', next: 'Bind a new key.' },
  forbidden: { text: 'This server does not allow the call.', next: 'Ask its operator.' },
  mandate_exceeded: { text: 'A limit of the account does not allow this.', next: 'Look at Limits. Only the wallet can widen them.' },
  approval_required: { text: 'The owner of the account has to approve this.', next: 'Open the link with the owner’s wallet.' },
  not_found: { text: 'There is no such thing.', next: 'Look at the lists.' },
  no_route: { text: 'No route was found.', next: 'Try another amount or token.' },
  method_not_allowed: { text: 'This server does not know the call.', next: 'Reload the page.' },
  duplicate_request: { text: 'This was sent before.', next: 'Look at the lists.' },
  account_restricted: { text: 'The account cannot do this now.', next: 'Wait until its liquidation or restriction ends.' },
  outcome_unknown: { text: 'Its outcome is unknown.', next: 'Look at the lists before sending again.' },
  payload_too_large: { text: 'The call is too large.', next: 'Send less.' },
  unsupported_media_type: { text: 'This server does not know the call.', next: 'Reload the page.' },
  order_rejected: { text: 'The venue rejected the order.', next: 'Check price, size and type.' },
  insufficient_margin: { text: 'The account has too little margin for this.', next: 'Make the order smaller.' },
  price_out_of_range: { text: 'The price is outside the market’s bounds or off its tick.', next: 'Move it closer to the mark price.' },
  size_out_of_range: { text: 'The size is outside the market’s bounds or off its step.', next: 'Change the size.' },
  notional_too_small: { text: 'The order is worth less than the market’s minimum.', next: 'Make it larger.' },
  amount_too_low: { text: 'The amount is too low.', next: 'Choose a larger one.' },
  amount_too_high: { text: 'The amount is too high.', next: 'Choose a smaller one.' },
  venue_rejected: { text: 'The venue refused.', next: 'Check the values, or try again later.' },
  rate_limited: { text: 'Too many calls; this one was not carried out.', next: 'Try again in a moment.' },
  internal: { text: 'Something went wrong on the server.', next: 'Try again later, or ask its operator.' },
  store_unavailable: { text: 'The server cannot store it right now. Nothing was sent.', next: 'Try again in a moment.' },
  upstream_unavailable: { text: 'The venue cannot be reached.', next: 'The page keeps trying.' },
  upstream_busy: { text: 'The venue is busy.', next: 'The page keeps trying.' },
  not_available: { text: 'The server takes no new orders right now. Nothing was sent.', next: 'Try again later. Cancels work.' },
  not_configured: { text: 'This server does not offer that.', next: 'Ask its operator.' },
  upstream_timeout: { text: 'The venue took too long to answer.', next: 'The page keeps trying.' },
} as const satisfies Record<FailureCode, FailureMessage>
