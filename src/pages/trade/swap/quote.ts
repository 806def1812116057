import { formatDecimal, ONE } from '../../../core/decimals.ts'
import { divided } from '../../../perp/amounts.ts'
import { type Exact, isRecord, memberOf, rowsOf, textOf } from '../../common/exact-json.ts'
import { figureOf } from '../../common/figure.ts'
import { fixed } from '../../common/format.ts'
import type { Allowance } from '../money/transactions.ts'

/** An amount of a token, in its smallest unit. */
export type Amount = { readonly units: bigint; readonly token: Token; readonly usd: bigint | null }

export type Quote = ReturnType<typeof quoteOf>

/** The answer of `GET /api/swap/quote`. */
export function quoteOf(answer: Exact) {
  const amount = (name: string, token: Token): Amount => ({
    units: unitsIn(answer, name),
    token,
    usd: figureOf(answer, `${name}Usd`),
  })
  const [from, to] = [tokenIn(answer, 'fromToken'), tokenIn(answer, 'toToken')]
  return {
    give: amount('fromAmount', from),
    receive: amount('toAmount', to),
    least: amount('toAmountMin', to),
    fees: rowsOf(answer, 'fees').map(costOf),
    gas: rowsOf(answer, 'gas').map(costOf),
    steps: rowsOf(answer, 'steps').map((row) => ({
      type: textOf(row, 'type'),
      from: tokenIn(row, 'fromToken'),
      to: tokenIn(row, 'toToken'),
    })),
    seconds: Number(textOf(answer, 'estimatedDurationSec')),
    lifeMs: Number(textOf(answer, 'expiresAt')) - Number(textOf(answer, 'createdAt')),
    toAddress: textOf(answer, 'toAddress'),
    approval: approvalOf(memberOf(answer, 'approval')),
    /** Null in a quote that names no wallet. */
    transaction: transactionOf(memberOf(answer, 'transaction')),
  }
}

function tokenIn(row: Exact, name: string): Token {
  return tokenOf(memberOf(row, name))
}

/** A token of a chain. */
export type Token = ReturnType<typeof tokenOf>

/** A token of `GET /api/swap/tokens`. */
export function tokenOf(row: Exact | undefined) {
  return {
    chainId: Number(textOf(row, 'chainId')),
    address: textOf(row, 'address'),
    symbol: textOf(row, 'symbol'),
    name: textOf(row, 'name'),
    decimals: Number(textOf(row, 'decimals')),
  }
}

/** The whole number in a member; zero if the member is missing or is not a whole number. */
export function unitsIn(row: Exact | undefined, name: string): bigint {
  const text = textOf(row, name)
  return /^\d{1,78}$/.test(text) ? BigInt(text) : 0n
}

/** A fee, or the gas cost of a transaction. */
export type Cost = ReturnType<typeof costOf>

function costOf(row: Exact) {
  const token = memberOf(row, 'token')
  const amount = (): Amount => ({
    units: unitsIn(row, 'amount'),
    token: tokenOf(token),
    usd: figureOf(row, 'amountUsd'),
  })
  return {
    type: textOf(row, 'type'),
    isIncluded: memberOf(row, 'included') === true,
    /** Null for a cost in a token that is not known. */
    amount: isRecord(token) ? amount() : null,
  }
}

function approvalOf(row: Exact | undefined): Required<Allowance> | null {
  if (!isRecord(row)) return null
  return {
    ...{ token: textOf(row, 'token'), spender: textOf(row, 'spender') },
    ...{ units: unitsIn(row, 'amount'), isResetFirst: memberOf(row, 'resetFirst') === true },
  }
}

/** A transaction; `value` is of the chain's coin, in its smallest unit. */
function transactionOf(row: Exact | undefined) {
  if (!isRecord(row)) return null
  return {
    ...{ chainId: Number(textOf(row, 'chainId')), from: textOf(row, 'from') },
    ...{ to: textOf(row, 'to'), data: textOf(row, 'data'), value: unitsIn(row, 'value') },
  }
}

/** The value of the received amount over that of the given amount, less one; null if either is unknown. */
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
