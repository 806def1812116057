import type { Clock, Random } from '../../../core/ports.ts'
import { registrationById } from '../../accounts/accounts.ts'
import type { Registration } from '../../exchange/state.ts'
import {
  type PriceThen,
  type TradingContext,
  tradingContext,
} from '../../exchange/trading-context.ts'
import { type Fields, parseFields } from '../../messages/body.ts'
import type { Moment } from '../../messages/limits.ts'
import type { KeyScope, VenueCall, VenueRow } from '../../messages/row.ts'
import type { AffiliateProgram } from '../../programs/affiliates/admin.ts'

/** The sources of answers to signed calls. */
export type SignedSources = Pick<AffiliateProgram, 'exchange' | 'affiliates' | 'isOperator'> & {
  readonly priceThen: PriceThen
  readonly random: Random
  readonly wallClock: Clock
}

/** A call with a verified signature, and its account's data, each looked up on access. */
export type SignedCall = VenueCall &
  SignedSources & {
    readonly account: Registration
    /** The account's engine, balances and histories. */
    readonly context: TradingContext
    /** The members of the body. Throws -1005 for a body other than a JSON object. */
    readonly fields: Fields
    /** The time of the call by both clocks. */
    readonly moment: Moment
  }

/** The answer to a signed call. */
export type SignedAnswer = (call: SignedCall) => unknown

/** Answers by the scope that the key needs, then by method and path, such as `GET /v1/positions`. */
export type SignedTable = Readonly<
  Partial<Record<Exclude<KeyScope, 'none'>, Readonly<Record<string, SignedAnswer>>>>
>

const SCOPES = ['read', 'trading', 'asset'] as const

/** The rows of some tables for the account that signed a call. */
export function signedRows(parts: SignedSources, tables: readonly SignedTable[]): VenueRow[] {
  return SCOPES.flatMap((scope) =>
    tables.flatMap((table) =>
      Object.entries(table[scope] ?? {}).map(([name, answer]): VenueRow => {
        const [method, path = ''] = name.split(' ')
        return {
          method: toMethod(method),
          path,
          scope,
          answer: (call) => answer(signed(parts, call)),
        }
      }),
    ),
  )
}

function toMethod(text: string | undefined): VenueRow['method'] {
  return text === 'POST' || text === 'PUT' || text === 'DELETE' ? text : 'GET'
}

function signed(parts: SignedSources, call: VenueCall): SignedCall {
  const { exchange, wallClock } = parts
  return {
    ...parts,
    ...call,
    get account() {
      return registrationById(exchange, call.accountId)
    },
    get context() {
      return tradingContext(exchange, call.accountId)
    },
    get fields() {
      return parseFields(call.body)
    },
    get moment() {
      return { nowMs: call.nowMs, wallMs: wallClock.nowMs() }
    },
  }
}
