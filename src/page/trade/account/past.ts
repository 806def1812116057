import { computed, type ReadonlySignal } from '@preact/signals'
import { type Exact, rowsOf, textOf } from '../../common/exact-json.ts'
import { near } from '../../common/format.ts'
import type { Reading } from '../feed/feed.ts'
import { followed } from '../feed/service.ts'
import { ordersOf, sideOf } from './rows.ts'
import { accountTopic, LIVE_MS, type ListName, openList, ROWS } from './state.ts'

export type Fill = {
  readonly id: string
  readonly symbol: string
  readonly side: 'BUY' | 'SELL'
  readonly price: bigint
  readonly size: bigint
  readonly fee: bigint
  readonly pnl: bigint
  readonly isMaker: boolean
  readonly atMs: number
}

export type Funding = {
  readonly symbol: string
  readonly rate: bigint
  /** Positive when it was received. */
  readonly amount: bigint
  readonly atMs: number
}

export type Holding = { readonly token: string; readonly amount: bigint; readonly frozen: bigint }

/** A list that is read only while it is open. */
function whileOpen(
  list: ListName,
  path: string,
  topics: readonly string[],
): ReadonlySignal<Reading> {
  return followed(() => (openList.value === list ? accountTopic(path, LIVE_MS, topics) : null))
}

export const historyReading = whileOpen('history', `/v1/orders?status=COMPLETED&${ROWS}`, [
  'orders',
])
export const fillsReading = whileOpen('fills', `/v1/trades?${ROWS}`, ['fills'])
export const fundingReading = whileOpen('funding', `/v1/funding_fee/history?${ROWS}`, [])
export const balancesReading = whileOpen('balances', '/v1/client/holding', ['balances'])

export const history = computed(() => ordersOf(historyReading.value.data))
export const fills = computed(() => fillsOf(fillsReading.value.data))
export const fundings = computed(() => fundingsOf(fundingReading.value.data))
export const balances = computed(() => holdingsOf(balancesReading.value.data))

/** The fills of `GET /v1/trades`. */
function fillsOf(answer: Exact): readonly Fill[] {
  return rowsOf(answer, 'rows').map((row) => ({
    id: textOf(row, 'id'),
    symbol: textOf(row, 'symbol'),
    side: sideOf(row),
    price: near(textOf(row, 'executed_price')),
    size: near(textOf(row, 'executed_quantity')),
    fee: near(textOf(row, 'fee')),
    pnl: near(textOf(row, 'realized_pnl')),
    isMaker: textOf(row, 'is_maker') === '1',
    atMs: Number(textOf(row, 'executed_timestamp')),
  }))
}

/** The charges of `GET /v1/funding_fee/history`: there the sign stands in a word. */
function fundingsOf(answer: Exact): readonly Funding[] {
  return rowsOf(answer, 'rows').map((row) => {
    const amount = near(textOf(row, 'funding_fee'))
    return {
      symbol: textOf(row, 'symbol'),
      rate: near(textOf(row, 'funding_rate')),
      amount: textOf(row, 'payment_type') === 'Receive' ? amount : -amount,
      atMs: Number(textOf(row, 'created_time')),
    }
  })
}

/** The tokens of `GET /v1/client/holding`. */
function holdingsOf(answer: Exact): readonly Holding[] {
  return rowsOf(answer, 'holding').map((row) => ({
    token: textOf(row, 'token'),
    amount: near(textOf(row, 'holding')),
    frozen: near(textOf(row, 'frozen')),
  }))
}
