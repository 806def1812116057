import { formatDecimal } from '../../../core/decimals.ts'
import { divided } from '../../common/amounts.ts'
import { type Exact, isRecord, memberOf, rowsOf, textOf } from '../../common/exact-json.ts'
import { figureOf } from '../../common/figure.ts'
import { fixed, ONE } from '../../common/format.ts'
import type { Allowance } from '../money/transactions.ts'

/** A token of a chain. */
export type Token = {
  readonly chainId: number
  readonly address: string
  readonly symbol: string
  readonly name: string
  readonly decimals: number
}

/** So much of a token, in its smallest unit. */
export type Amount = { readonly units: bigint; readonly token: Token; readonly usd: bigint | null }

/** A fee, or what a chain takes for a transaction. */
export type Cost = {
  readonly type: string
  readonly isIncluded: boolean
  /** Null for a cost in a token that is not known. */
  readonly amount: Amount | null
}

type Transaction = {
  readonly chainId: number
  readonly from: string
  readonly to: string
  readonly data: string
  /** Of the chain's coin, in its smallest unit. */
  readonly value: bigint
}

export type Quote = {
  readonly give: Amount
  readonly receive: Amount
  readonly least: Amount
  readonly fees: readonly Cost[]
  readonly gas: readonly Cost[]
  readonly steps: readonly { readonly type: string; readonly from: Token; readonly to: Token }[]
  readonly seconds: number
  readonly lifeMs: number
  readonly toAddress: string
  readonly approval: Required<Allowance> | null
  /** Null in a quote that names no wallet. */
  readonly transaction: Transaction | null
}

/** The answer of `GET /api/swap/quote`. */
export function quoteOf(answer: Exact): Quote {
  const [from, to] = ['fromToken', 'toToken'].map((name) => tokenOf(memberOf(answer, name)))
  if (!from || !to) throw new RangeError('a quote has two tokens')
  const amount = (name: string, token: Token) => ({
    ...{ units: unitsIn(answer, name), token },
    usd: figureOf(answer, `${name}Usd`),
  })
  return {
    give: amount('fromAmount', from),
    receive: amount('toAmount', to),
    least: amount('toAmountMin', to),
    fees: rowsOf(answer, 'fees').map(costOf),
    gas: rowsOf(answer, 'gas').map(costOf),
    steps: rowsOf(answer, 'steps').map((row) => ({
      type: textOf(row, 'type'),
      from: tokenOf(memberOf(row, 'fromToken')),
      to: tokenOf(memberOf(row, 'toToken')),
    })),
    seconds: Number(textOf(answer, 'estimatedDurationSec')),
    lifeMs: Number(textOf(answer, 'expiresAt')) - Number(textOf(answer, 'createdAt')),
    toAddress: textOf(answer, 'toAddress'),
    approval: approvalOf(memberOf(answer, 'approval')),
    transaction: transactionOf(memberOf(answer, 'transaction')),
  }
}

/** A token of `GET /api/swap/tokens`. */
export function tokenOf(row: Exact | undefined): Token {
  return {
    chainId: Number(textOf(row, 'chainId')),
    address: textOf(row, 'address'),
    symbol: textOf(row, 'symbol'),
    name: textOf(row, 'name'),
    decimals: Number(textOf(row, 'decimals')),
  }
}

/** A whole number of a member; zero where there is none. */
export function unitsIn(row: Exact | undefined, name: string): bigint {
  const text = textOf(row, name)
  return /^\d{1,78}$/.test(text) ? BigInt(text) : 0n
}

function costOf(row: Exact): Cost {
  const token = memberOf(row, 'token')
  return {
    type: textOf(row, 'type'),
    isIncluded: memberOf(row, 'included') === true,
    amount: isRecord(token)
      ? {
          ...{ units: unitsIn(row, 'amount'), token: tokenOf(token) },
          usd: figureOf(row, 'amountUsd'),
        }
      : null,
  }
}

function approvalOf(row: Exact | undefined): Quote['approval'] {
  if (!isRecord(row)) return null
  return {
    ...{ token: textOf(row, 'token'), spender: textOf(row, 'spender') },
    ...{ units: unitsIn(row, 'amount'), isResetFirst: memberOf(row, 'resetFirst') === true },
  }
}

function transactionOf(row: Exact | undefined): Transaction | null {
  if (!isRecord(row)) return null
  return {
    ...{ chainId: Number(textOf(row, 'chainId')), from: textOf(row, 'from') },
    ...{ to: textOf(row, 'to'), data: textOf(row, 'data'), value: unitsIn(row, 'value') },
  }
}

/** The value of what is received over that of what is given, less one; null where either is not known. */
export function changeOf({ give, receive }: Quote): bigint | null {
  if (give.usd === null || receive.usd === null || give.usd === 0n) return null
  return divided(receive.usd - give.usd, give.usd)
}

/** An amount with its token, rounded down to `figures` significant digits after the whole ones. */
export function amountText({ units, token }: Omit<Amount, 'usd'>, figures = 6): string {
  return `${unitsText(units, token.decimals, figures)} ${token.symbol}`
}

function unitsText(units: bigint, decimals: number, figures: number): string {
  const [whole = '0', fraction = ''] = formatDecimal(units, decimals).split('.')
  const places = whole === '0' ? fraction.search(/[1-9]|$/) + figures : figures - whole.length
  const shown = fraction.slice(0, Math.max(2, places)).replace(/(?<!0)0+$/, '')
  return fixed(BigInt(whole) * ONE, 0) + (shown && `.${shown}`)
}
