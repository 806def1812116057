import type { Clock, Random } from '../../../core/ports.ts'
import { registrationById } from '../../accounts/accounts.ts'
import type { Registration } from '../../exchange/state.ts'
import {
  type HistoricalPrice,
  type TradingContext,
  tradingContext,
} from '../../exchange/trading-context.ts'
import { type Fields, parseFields } from '../../messages/body.ts'
import type { BothClocksTime } from '../../messages/limits.ts'
import type { KeyScope, VenueCall, VenueRow } from '../../messages/row.ts'
import type { AffiliateProgram } from '../../programs/affiliates/admin.ts'

/** The data from which signed calls are answered. */
export type SignedSources = Pick<AffiliateProgram, 'exchange' | 'affiliates' | 'isOperator'> & {
  readonly priceThen: HistoricalPrice
  readonly random: Random
  readonly wallClock: Clock
}

/** A call whose signature has been verified. The account's data is looked up only when it is accessed. */
export type SignedCall = VenueCall &
  SignedSources & {
    readonly account: Registration
    /** The engine, balances and histories of the account. */
    readonly context: TradingContext
    /** The members of the body. Throws -1005 if the body is not a JSON object. */
    readonly fields: Fields
    /** The time of the call on both clocks. */
    readonly moment: BothClocksTime
  }

/** The answer to a signed call. */
export type SignedAnswer = (call: SignedCall) => unknown

/** Answers by the scope that the key must have, then by method and path, such as `GET /v1/positions`. */
export type SignedTable = Readonly<
  Partial<Record<Exclude<KeyScope, 'none'>, Readonly<Record<string, SignedAnswer>>>>
>

const SCOPES = ['read', 'trading', 'asset'] as const

/** The endpoints of some tables, each answered for the account that signed the call. */
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
