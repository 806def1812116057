import type { Exchange } from '../../exchange/state.ts'
import type { Campaign } from '../../programs/calendar.ts'
import { contestantsOf } from '../../programs/contests.ts'
import { micro } from '../../wire/number.ts'
import { pageOf, queryText } from '../../wire/page.ts'
import { refusal } from '../../wire/refusals.ts'

type Group = 'BROKER' | 'SYMBOL' | 'NONE'
type Key = { readonly broker_id?: string; readonly symbol?: string }
/** The volume of many may pass what a safe integer holds. */
type Sum = { readonly key: Key; volume: bigint; readonly users: Set<number> }

/** What a row is about: a builder in a market, or one of both. */
const KEYS: Readonly<Record<Group, (brokerId: string, symbol: string) => Key>> = {
  BROKER: (brokerId) => ({ broker_id: brokerId }),
  SYMBOL: (_, symbol) => ({ symbol }),
  NONE: (brokerId, symbol) => ({ broker_id: brokerId, symbol }),
}

/** A campaign's volume and traders by builder and market, the largest first; `group_by` puts one of them together. */
export function campaignDetails(exchange: Exchange, campaign: Campaign, query: URLSearchParams) {
  const keyOf = KEYS[groupOf(queryText(query, 'group_by') ?? 'NONE')]
  const broker = queryText(query, 'broker_id')
  const symbols = queryText(query, 'symbols')?.split(',')
  const { markets } = exchange.floor().engine.world.exchange
  const sums = new Map<string, Sum>()
  for (const { account, brokerId, entry } of contestantsOf(exchange, campaign)) {
    if (broker !== null && brokerId !== broker) continue
    for (const [number, volume] of entry.volumes) {
      const symbol = markets[number]?.spec.symbol ?? ''
      if (symbols?.includes(symbol) ?? true)
        add(sums, keyOf(brokerId, symbol), account.number, volume)
    }
  }
  const rows = [...sums.values()].sort((a, b) => Number(b.volume - a.volume))
  const { meta, rows: page } = pageOf(rows, query)
  return {
    meta,
    rows: page.map(({ key, volume, users }) => ({
      ...key,
      volume: micro(volume),
      user_count: users.size,
    })),
  }
}

function add(sums: Map<string, Sum>, key: Key, user: number, volume: number): void {
  const name = JSON.stringify(key)
  const sum = sums.get(name) ?? { key, volume: 0n, users: new Set<number>() }
  sums.set(name, sum)
  sum.volume += BigInt(volume)
  sum.users.add(user)
}

function groupOf(name: string): Group {
  if (name === 'BROKER' || name === 'SYMBOL' || name === 'NONE') return name
  throw refusal('parameter', 'group_by must be BROKER, SYMBOL or NONE')
}
