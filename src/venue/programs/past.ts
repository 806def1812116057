import { DAY_MS } from '../../spec/durations.ts'
import type { Agent } from '../engine/agents/agent.ts'
import type { EpochRow } from '../engine/records/epochs.ts'
import { MICRO, mulDiv, shareOf } from '../engine/units.ts'
import type { World } from '../engine/world.ts'
import { draw, stream } from '../market/price/chance.ts'
import { epochOf, epochOfDay, epochStartMs } from './epochs.ts'

/** What agents did before the world began: a pure function of its seed, and about as much as its markets usually turn over. */
export type Past = {
  /** The first epoch that is told. */
  readonly firstEpoch: number
  /** By the number of an agent's account, oldest first. */
  readonly epochs: ReadonlyMap<number, readonly EpochRow[]>
  /** What all of them paid in fees on a UTC day, by the day's number. */
  readonly feesOf: (day: number) => number
  /** The micro-ORDER that an account brought with it. */
  readonly endowments: ReadonlyMap<number, number>
}

/** The epoch in which a world begins, and as many before it, are twelve. */
export const EPOCHS_BEFORE = 11

/** A day's turnover in thousandths of the usual: the usual, and a fifth up or down. */
const DAY_SHARE = { min: 800, range: 400 }
const THOUSAND = 1000
/** What of every trade went into fees, on either side: three basis points. */
const FEE_RATE = 30_000

type DayOf = { readonly day: number; readonly thousandths: number }

/** Looks back from the beginning of a world: at the days before its first, of which the exchange itself knows nothing. */
export function pastOf({ seed, genesisMs, agents: all, scenes }: World): Past {
  const agents = all.filter(({ account }) => account.kind === 'agent')
  const firstEpoch = epochOf(genesisMs) - EPOCHS_BEFORE
  const days = daysOf(seed, epochStartMs(firstEpoch) / DAY_MS, Math.floor(genesisMs / DAY_MS))
  const usual = usualVolumes(agents, (market) => scenes[market]?.listed.dailyTurnoverUsdc ?? 0)
  const epochs = new Map<number, EpochRow[]>()
  const fees = new Map<number, number>()
  for (const [{ account }, volume] of usual)
    epochs.set(account.number, epochsOf(days, volume, fees))
  return {
    firstEpoch,
    epochs,
    feesOf: (day) => fees.get(day) ?? 0,
    endowments: new Map(agents.map((agent) => [agent.account.number, endowment(seed, agent)])),
  }
}

function daysOf(seed: number, from: number, to: number): DayOf[] {
  const source = stream(seed, 'past', 'days')
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => ({
    day: from + at,
    thousandths: DAY_SHARE.min + Math.floor(draw(source, from + at) * DAY_SHARE.range),
  }))
}

/** Makers met takers: each side of a market's turnover is shared, the first of its kind having most. Micro-USDC a day. */
function usualVolumes(
  agents: readonly Agent[],
  turnoverOf: (market: number) => number,
): readonly (readonly [Agent, number])[] {
  const traded = agents.filter(({ role }) => role === 'maker' || role === 'taker')
  const sideOf = ({ role, market }: Agent) => `${role}/${market}`
  const weightOf = ({ rank }: Agent) => Math.floor(THOUSAND / (rank + 1))
  const sums = new Map<string, number>()
  for (const agent of traded)
    sums.set(sideOf(agent), (sums.get(sideOf(agent)) ?? 0) + weightOf(agent))
  return traded.map((agent) => {
    const turnover = turnoverOf(agent.market) * MICRO
    const all = sums.get(sideOf(agent)) ?? 1
    return [agent, mulDiv(turnover, weightOf(agent), all, 'floor')] as const
  })
}

/** One agent's epochs; its fees are added to those of each day. */
function epochsOf(
  days: readonly DayOf[],
  usual: number,
  feesByDay: Map<number, number>,
): EpochRow[] {
  const rows: EpochRow[] = []
  for (const { day, thousandths } of days) {
    const volume = mulDiv(usual, thousandths, THOUSAND, 'floor')
    const fees = shareOf(volume, FEE_RATE)
    feesByDay.set(day, (feesByDay.get(day) ?? 0) + fees)
    const newest = rows.at(-1)
    const epoch = epochOfDay(day)
    if (newest?.epoch !== epoch) rows.push({ epoch, volume, fees })
    else {
      newest.volume += volume
      newest.fees += fees
    }
  }
  return rows
}

/** Up to one ORDER for each USDC that an agent began with. */
function endowment(seed: number, { account, stake }: Agent): number {
  return Math.floor(stake * draw(stream(seed, 'past', 'stake', account.key), 0))
}
