import { formatDecimal, ONE } from '../../../core/decimals.ts'
import { quotient } from '../../../perp/amounts.ts'
import {
  type Exact,
  isRecord,
  memberRows,
  memberText,
  memberValue,
} from '../../common/exact-json.ts'
import { memberFigure } from '../../common/figure.ts'
import { fixedText } from '../../common/format.ts'
import type { Allowance } from '../money/transactions.ts'

/** An amount of a token, in its smallest unit. */
export type Amount = { readonly units: bigint; readonly token: Token; readonly usd: bigint | null }

export type Quote = ReturnType<typeof toQuote>

/** Parses the answer of `GET /api/swap/quote`. */
export function toQuote(answer: Exact) {
  const amount = (name: string, token: Token): Amount => ({
    units: unitsIn(answer, name),
    token,
    usd: memberFigure(answer, `${name}Usd`),
  })
  const [from, to] = [tokenIn(answer, 'fromToken'), tokenIn(answer, 'toToken')]
  return {
    give: amount('fromAmount', from),
    receive: amount('toAmount', to),
    least: amount('toAmountMin', to),
    fees: memberRows(answer, 'fees').map(toCost),
    gas: memberRows(answer, 'gas').map(toCost),
    steps: memberRows(answer, 'steps').map((row) => ({
      type: memberText(row, 'type'),
      from: tokenIn(row, 'fromToken'),
      to: tokenIn(row, 'toToken'),
    })),
    seconds: Number(memberText(answer, 'estimatedDurationSec')),
    lifeMs: Number(memberText(answer, 'expiresAt')) - Number(memberText(answer, 'createdAt')),
    toAddress: memberText(answer, 'toAddress'),
    approval: toAllowance(memberValue(answer, 'approval')),
    /** Null in a quote without a wallet. */
    transaction: toTransaction(memberValue(answer, 'transaction')),
  }
}

function tokenIn(row: Exact, name: string): Token {
  return toToken(memberValue(row, name))
}

/** A token on a chain. */
export type Token = ReturnType<typeof toToken>

/** Parses a token of `GET /api/swap/tokens`. */
export function toToken(row: Exact | undefined) {
  return {
    chainId: Number(memberText(row, 'chainId')),
    address: memberText(row, 'address'),
    symbol: memberText(row, 'symbol'),
    name: memberText(row, 'name'),
    decimals: Number(memberText(row, 'decimals')),
  }
}

/** The integer in a member; zero if the member is missing or has another value. */
export function unitsIn(row: Exact | undefined, name: string): bigint {
  const text = memberText(row, name)
  return /^\d{1,78}$/.test(text) ? BigInt(text) : 0n
}

/** A fee, or the gas cost of a transaction. */
export type Cost = ReturnType<typeof toCost>

function toCost(row: Exact) {
  const token = memberValue(row, 'token')
  const amount = (): Amount => ({
    units: unitsIn(row, 'amount'),
    token: toToken(token),
    usd: memberFigure(row, 'amountUsd'),
  })
  return {
    type: memberText(row, 'type'),
    isIncluded: memberValue(row, 'included') === true,
    /** Null if the token is unknown. */
    amount: isRecord(token) ? amount() : null,
  }
}

function toAllowance(row: Exact | undefined): Required<Allowance> | null {
  if (!isRecord(row)) return null
  return {
    ...{ token: memberText(row, 'token'), spender: memberText(row, 'spender') },
    ...{ units: unitsIn(row, 'amount'), isResetFirst: memberValue(row, 'resetFirst') === true },
  }
}

/** Parses a transaction; `value` is in the smallest unit of the chain's native coin. */
function toTransaction(row: Exact | undefined) {
  if (!isRecord(row)) return null
  return {
    ...{ chainId: Number(memberText(row, 'chainId')), from: memberText(row, 'from') },
    ...{ to: memberText(row, 'to'), data: memberText(row, 'data'), value: unitsIn(row, 'value') },
  }
}

/** The change in value by a swap: received ÷ given − 1, in US dollars; null if a value is unknown. */
export function valueChange({ give, receive }: Quote): bigint | null {
  if (give.usd === null || receive.usd === null || give.usd === 0n) return null
  return quotient(receive.usd - give.usd, give.usd)
}

/** The text of an amount with its token, cut to `figures` significant digits but at least two decimals. */
export function tokenAmountText({ units, token }: Omit<Amount, 'usd'>, figures = 6): string {
  return `${unitsText(units, token.decimals, figures)} ${token.symbol}`
}

function unitsText(units: bigint, decimals: number, figures: number): string {
  const [whole = '0', fraction = ''] = formatDecimal(units, decimals).split('.')
  const places = whole === '0' ? fraction.search(/[1-9]|$/) + figures : figures - whole.length
  const shown = fraction.slice(0, Math.max(2, places)).replace(/(?<!0)0+$/, '')
  return fixedText(BigInt(whole) * ONE, 0) + (shown && `.${shown}`)
}
