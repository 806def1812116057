import { DAY_MS } from '../../contract/durations.ts'
import { draw, stream } from '../base/rng.ts'
import { amountAtRate, MICRO, sumBy } from '../base/units.ts'
import type { VenueState } from '../exchange/state.ts'
import { AGENTS_BROKER, accountOwner } from '../exchange/trading-context.ts'
import type { MarketDay } from '../history/days.ts'
import type { Account, AccountDay } from '../state/state.ts'
import type { EngineWorld } from '../state/world.ts'
import { agentKey } from '../traders/population.ts'
import { epochAt, epochStartMs, firstEpoch } from './tables.ts'

/** An account in the programs: a caller's with its trades, or a row of the public table. */
export type Participant = ReturnType<typeof accountOwner> & {
  /** Its account id on the wire, and a number of its own. */
  readonly key: string
  readonly number: number
  /** The caller's account; null for a public row. */
  readonly account: Account | null
  /** Volume and fees by UTC day, and volume by day and market. Oldest first. */
  readonly days: readonly Pick<AccountDay, 'day' | 'volume' | 'fees'>[]
  readonly trades: readonly MarketDay[]
  /** The micro-ORDER that it staked before the world began. */
  readonly endowment: number
}

/** All participants as of now. */
export function allParticipants(exchange: VenueState, nowMs: number): readonly Participant[] {
  const { engine, marketDays } = exchange.simulation()
  const users = engine.world.exchange.accounts.filter(({ kind }) => kind === 'user')
  return [
    ...publicTable(engine.world, nowMs),
    ...users.map((account) => ({
      ...accountOwner(exchange, account),
      ...{ key: account.key, number: account.number, account, endowment: 0 },
      ...{ days: account.days, trades: marketDays.of(account) },
    })),
  ]
}

/** The rows of the public table, and the number of the first one: above those of accounts. */
const PUBLIC = { count: 60, from: 900_000 } as const
/** The part of its market's turnover that the first account of a market trades; fees are three basis points. */
const TURNOVER_SHARE = 0.04
const FEE_RATE = 30_000
/** The mean value of an order, micro-USDC, and the largest endowment, micro-ORDER. */
const ORDER_VALUE = 5_000 * MICRO
const ENDOWMENT_MAX = 2_000_000 * MICRO

/**
 * Public accounts by seed: each trades its usual volume every day, a half more or less, and today the elapsed part of
 * it.
 */
function publicTable({ seed, beginsAtMs, scenes }: EngineWorld, nowMs: number): Participant[] {
  const firstDay = epochStartMs(firstEpoch({ beginsAtMs })) / DAY_MS
  const length = Math.floor(nowMs / DAY_MS) - firstDay + 1
  return scenes.flatMap(({ listed, market: { number: market } }, place) =>
    Array.from({ length: Math.ceil((PUBLIC.count - place) / scenes.length) }, (_, rank) => {
      const at = rank * scenes.length + place
      const key = agentKey(seed, `taker/${listed.symbol}/${rank}`)
      const source = stream(seed, 'participant', String(at))
      const usual = (listed.dailyTurnoverUsdc * MICRO * TURNOVER_SHARE) / (rank + 1)
      const trades = Array.from({ length }, (__, past) => {
        const day = firstDay + past
        const passed = Math.min(1, nowMs / DAY_MS - day)
        const volume = Math.floor(usual * (0.5 + draw(source, day)) * passed)
        const lastMs = Math.min(nowMs, (day + 1) * DAY_MS - 1)
        const orders = Math.floor(volume / ORDER_VALUE)
        return { day, market, volume, orders, sinceMs: day * DAY_MS, lastMs }
      }).filter(({ volume }) => volume > 0)
      return {
        ...{ address: `0x${key.slice(-40)}`, brokerId: AGENTS_BROKER, key, account: null, trades },
        number: PUBLIC.from + at,
        days: trades.map((row) => ({ ...row, fees: amountAtRate(row.volume, FEE_RATE) })),
        endowment: Math.floor(ENDOWMENT_MAX * draw(source, -1)),
      }
    }),
  )
}

/** Points for each USDC traded, and for each paid in fees. */
const POINTS = { traded: 1, paid: 10 } as const

/**
 * The fees, micro-USDC, and the points of a participant by epoch, oldest first. Points are rounded per epoch, so that
 * epochs add up.
 */
export function participantEpochs({ days }: Pick<Participant, 'days'>) {
  const epochs = Map.groupBy(days, ({ day }) => epochAt(day * DAY_MS))
  return Array.from(epochs, ([epoch, rows]) => {
    const fees = sumBy(rows, (row) => row.fees)
    const traded = sumBy(rows, ({ volume }) => volume) * POINTS.traded
    const points = Math.floor((traded + Math.max(0, fees) * POINTS.paid) / MICRO)
    return { epoch, fees, points }
  })
}
