import { DAY_MS } from '../../contract/durations.ts'
import { randomAt, randomStream } from '../base/rng.ts'
import { amountAtRate, MICRO, sumBy } from '../base/units.ts'
import type { VenueState } from '../exchange/state.ts'
import { AGENTS_BROKER, accountOwner } from '../exchange/trading-context.ts'
import type { MarketDay } from '../history/days.ts'
import type { Account, AccountDay } from '../state/state.ts'
import type { EngineWorld } from '../state/world.ts'
import { agentKey } from '../traders/population.ts'
import { epochAt, epochStartMs, firstEpoch } from './tables.ts'

/** An account in the programs: a user's account with its trades, or a made-up public account. */
export type Participant = ReturnType<typeof accountOwner> & {
  /** Its account id on the wire. */
  readonly key: string
  readonly number: number
  /** The user's account; null for a made-up public account. */
  readonly account: Account | null
  /** Volume and fees by UTC day, oldest first. */
  readonly days: readonly Pick<AccountDay, 'day' | 'volume' | 'fees'>[]
  /** Trades by UTC day and market, oldest first. */
  readonly trades: readonly MarketDay[]
  /** Micro-ORDER that the participant had staked before the world began. */
  readonly endowment: number
}

/** All participants at a time. */
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

/**
 * The table of made-up public accounts: `count` rows, numbered from `from`, which is above the numbers of real
 * accounts.
 */
const PUBLIC = { count: 60, from: 900_000 } as const
/** The share of a market's turnover that its first made-up public account trades. */
const TURNOVER_SHARE = 0.04
/** Fees of made-up public accounts: three basis points. */
const FEE_RATE = 30_000
/** Mean value of an order in micro-USDC. */
const ORDER_VALUE = 5_000 * MICRO
/** Maximum endowment of a made-up public account in micro-ORDER. */
const ENDOWMENT_MAX = 2_000_000 * MICRO

/**
 * Made-up public accounts that follow from the seed. Each trades its usual volume per day, up to a half more or less.
 * Today's volume is the part for the time of day.
 */
function publicTable({ seed, beginsAtMs, scenes }: EngineWorld, nowMs: number): Participant[] {
  const firstDay = epochStartMs(firstEpoch({ beginsAtMs })) / DAY_MS
  const length = Math.floor(nowMs / DAY_MS) - firstDay + 1
  return scenes.flatMap(({ listed, market: { number: market } }, place) =>
    Array.from({ length: Math.ceil((PUBLIC.count - place) / scenes.length) }, (_, rank) => {
      const at = rank * scenes.length + place
      const key = agentKey(seed, `taker/${listed.symbol}/${rank}`)
      const source = randomStream(seed, 'participant', String(at))
      const usual = (listed.dailyTurnoverUsdc * MICRO * TURNOVER_SHARE) / (rank + 1)
      const trades = Array.from({ length }, (__, past) => {
        const day = firstDay + past
        const passed = Math.min(1, nowMs / DAY_MS - day)
        const volume = Math.floor(usual * (0.5 + randomAt(source, day)) * passed)
        const lastMs = Math.min(nowMs, (day + 1) * DAY_MS - 1)
        const orders = Math.floor(volume / ORDER_VALUE)
        return { day, market, volume, orders, sinceMs: day * DAY_MS, lastMs }
      }).filter(({ volume }) => volume > 0)
      return {
        ...{ address: `0x${key.slice(-40)}`, brokerId: AGENTS_BROKER, key, account: null, trades },
        number: PUBLIC.from + at,
        days: trades.map((row) => ({ ...row, fees: amountAtRate(row.volume, FEE_RATE) })),
        endowment: Math.floor(ENDOWMENT_MAX * randomAt(source, -1)),
      }
    }),
  )
}

/** Points per USDC traded and per USDC of fees. */
const POINTS = { traded: 1, paid: 10 } as const

/**
 * The fees in micro-USDC and the points of a participant by epoch, oldest first. Points are rounded per epoch, so that
 * the sum over epochs is exact.
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
