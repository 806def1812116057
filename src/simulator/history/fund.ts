import { DAY_MS } from '../../contract/durations.ts'
import { append } from '../base/bounded-list.ts'
import { notionalAt } from '../state/markets.ts'
import {
  createEngineJournal,
  createListJournal,
  type EngineJournal,
  type TableJournal,
} from './journal.ts'

/** The insurance fund's gain or loss in one market, in micro-USDC. */
export type FundFlow = {
  readonly atMs: number
  readonly market: number
  /** Quantity in steps. */
  readonly quantity: number
  /** The value of the quantity at the price at which it moved to or from the fund. */
  readonly paid: number
  /** Liquidation fees received minus discounts given to liquidators. */
  readonly fees: number
  /** Balances taken over from bankrupt accounts; negative for deficits that were paid. */
  readonly transferred: number
}

/** The insurance fund's gains and losses of the last day. */
type FundJournal = EngineJournal & {
  /** The rows of the last day, oldest first. */
  readonly flows: (nowMs: number) => readonly FundFlow[]
}

export function createFundRecords(): FundJournal {
  const flows: FundFlow[] = []

  function keep(flow: FundFlow): void {
    flows.push(flow)
    while (flows[0] && flows[0].atMs <= flow.atMs - DAY_MS) flows.shift()
  }

  const journal = createEngineJournal('fund', flows, {
    observer: {
      liquidated: ({ atMs, transferred, takeovers }) => {
        for (const { market, by, quantity, price, fundFee } of takeovers) {
          const taken = by === 'fund' ? quantity : 0
          const paid = notionalAt(market.spec, price, taken)
          const flow = { market: market.number, quantity: taken, paid, fees: fundFee }
          keep({ ...flow, atMs, transferred: 0 })
        }
        const [first] = takeovers
        if (first && transferred !== 0)
          keep({ atMs, market: first.market.number, quantity: 0, paid: 0, fees: 0, transferred })
      },
      claimed: ({ market, quantity, price, discount, atMs }) => {
        const paid = -notionalAt(market.spec, price, quantity)
        const flow = { market: market.number, quantity: -quantity, paid, fees: -discount }
        keep({ ...flow, atMs, transferred: 0 })
      },
    },
  })
  return { ...journal, flows: (nowMs) => flows.filter(({ atMs }) => atMs > nowMs - DAY_MS) }
}

/** One funding settlement of a market: rates, and the sum of USDC per unit with eight decimals. */
type SettlementRow = {
  readonly atMs: number
  readonly rate: number
  readonly sumUnitary: number
}

/** Maximum number of rows per market: half a year of hourly settlements. */
const ROWS_MAX = 4400

/** Every market's funding settlements since the world began, oldest first. */
export function createSettlements(): TableJournal<SettlementRow[]> {
  return createListJournal('settlements', (of) => ({
    funded: ({ market, atMs, rate }) =>
      void append(of(market), { atMs, rate, sumUnitary: market.sumUnitary }, ROWS_MAX),
  }))
}
