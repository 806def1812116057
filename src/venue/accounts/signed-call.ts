import type { Registration, VenueState } from '../exchange/state.ts'
import { contextOf, type TradingContext } from '../exchange/trading-context.ts'
import { type Fields, parseBody } from '../messages/body.ts'
import type { Scope, VenueCall, VenueRow } from '../messages/row.ts'
import { accountOf } from './accounts.ts'

/** A call with a verified signature, and its account's data, each looked up on access. */
export type SignedCall = VenueCall & {
  readonly exchange: VenueState
  readonly account: Registration
  /** The account's engine, balances and histories. */
  readonly context: TradingContext
  /** The members of the body. Throws -1005 when it is no JSON object. */
  readonly fields: Fields
}

/** Answers by method and path, such as `GET /v1/positions`. */
export type SignedAnswers = Readonly<Record<string, (call: SignedCall) => unknown>>

/** Rows of one scope for the account that signed the call. */
export function signedRows(
  exchange: VenueState,
  scope: Exclude<Scope, 'none'>,
  answers: SignedAnswers,
): readonly VenueRow[] {
  return Object.entries(answers).map(([name, answer]) => {
    const [method, path = ''] = name.split(' ')
    return {
      method: methodOf(method),
      path,
      scope,
      answer: (call) => answer(signed(exchange, call)),
    }
  })
}

function methodOf(text: string | undefined): VenueRow['method'] {
  return text === 'POST' || text === 'PUT' || text === 'DELETE' ? text : 'GET'
}

function signed(exchange: VenueState, call: VenueCall): SignedCall {
  return {
    ...call,
    exchange,
    get account() {
      return accountOf(exchange, call.accountId)
    },
    get context() {
      return contextOf(exchange, call.accountId)
    },
    get fields() {
      return parseBody(call.body)
    },
  }
}
