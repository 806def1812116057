import { CAMPAIGNS, type Campaign, dayMs } from '../../programs/calendar.ts'
import type { Journal } from '../journal.ts'
import { refresh } from '../margin/margin.ts'
import { worthOf } from '../markets.ts'
import type { Account, Market, Order } from '../state.ts'

/** What an account has done in a campaign. */
export type Entry = {
  /** Its first trade that counted, and its last. */
  readonly sinceMs: number
  updatedAtMs: number
  /** Orders that filled. */
  orders: number
  /** Micro-USDC by market number. */
  readonly volumes: Map<number, number>
}

/** An account at the beginning or the end of a campaign: its balance with all results, and what ever came and went. */
export type Mark = {
  readonly value: number
  readonly deposits: number
  readonly withdrawals: number
}

/** Marks are null until their time has come. */
export type CampaignRecord = {
  readonly entries: Map<number, Entry>
  starts: Map<number, Mark> | null
  ends: Map<number, Mark> | null
}

/** What users and agents have done in every campaign. */
export type CampaignJournal = Journal & { readonly of: (campaign: Campaign) => CampaignRecord }

type Running = {
  readonly startMs: number
  readonly endMs: number
  readonly symbols: ReadonlySet<string> | null
  readonly record: CampaignRecord
}

/** Keeps the campaigns of a world that begins then. */
export function createCampaigns(genesisMs: number): CampaignJournal {
  const running = new Map(CAMPAIGNS.map((campaign) => [campaign.id, openCampaign(campaign)]))

  function openCampaign({ startDay, endDay, symbols }: Campaign): Running {
    const startMs = dayMs(genesisMs, startDay)
    // Before the world there was nobody.
    const starts = startMs <= genesisMs ? new Map<number, Mark>() : null
    return {
      startMs,
      endMs: dayMs(genesisMs, endDay),
      symbols: symbols && new Set(symbols),
      record: { entries: new Map(), starts, ends: null },
    }
  }

  function count(account: Account, market: Market, atMs: number, add: (entry: Entry) => void) {
    for (const { startMs, endMs, symbols, record } of running.values())
      if (atMs >= startMs && atMs < endMs && (symbols?.has(market.spec.symbol) ?? true)) {
        const entry = entryOf(record, account, atMs)
        entry.updatedAtMs = atMs
        add(entry)
      }
  }

  function filled({ exposure, updatedAtMs }: Order): void {
    count(exposure.account, exposure.market, updatedAtMs, (entry) => {
      entry.orders += 1
    })
  }

  return {
    name: 'campaigns',
    of: ({ id }) => {
      const found = running.get(id)
      if (!found) throw new RangeError('no such campaign')
      return found.record
    },
    observer: {
      ordered: (order) => {
        if (order.status === 'FILLED') filled(order)
      },
      matched: ({ market, price, quantity, taker, maker, atMs }) => {
        const volume = worthOf(market.spec, price, quantity)
        const add = ({ volumes }: Entry) => {
          volumes.set(market.number, (volumes.get(market.number) ?? 0) + volume)
        }
        count(taker.exposure.account, market, atMs, add)
        count(maker.exposure.account, market, atMs, add)
      },
      minute: (accounts, atMs) => {
        for (const { startMs, endMs, record } of running.values()) {
          if (atMs >= startMs) record.starts ??= marksOf(accounts)
          if (atMs >= endMs) record.ends ??= marksOf(accounts)
        }
      },
    },
    save: () => Array.from(running, ([id, { record }]) => [id, savedRecord(record)]),
    load: (saved) => {
      // Only `save` above has written it.
      for (const [id, record] of saved as [number, SavedRecord][]) {
        const found = running.get(id)
        if (found) loadRecord(found.record, record)
      }
    },
  }
}

/** What an account has in USDC: its balance, what backs its isolated positions, and all that is not settled. */
function worthNow({ holding, used }: Account): number {
  let value = holding
  for (const exposure of used) {
    if (exposure.stamp !== exposure.market.stamp) refresh(exposure)
    value += exposure.margin + exposure.pnl
  }
  return value
}

/** An account as it stands now. */
export function markOf(account: Account): Mark {
  const { deposits, withdrawals } = account
  return { value: worthNow(account), deposits, withdrawals }
}

function marksOf(accounts: readonly Account[]): Map<number, Mark> {
  return new Map(accounts.map((account) => [account.number, markOf(account)]))
}

function entryOf({ entries }: CampaignRecord, { number }: Account, atMs: number): Entry {
  const known = entries.get(number)
  if (known) return known
  const fresh: Entry = { sinceMs: atMs, updatedAtMs: atMs, orders: 0, volumes: new Map() }
  entries.set(number, fresh)
  return fresh
}

type SavedEntry = Omit<Entry, 'volumes'> & {
  readonly volumes: readonly (readonly [number, number])[]
}
type SavedMarks = readonly (readonly [number, Mark])[] | null
type SavedRecord = {
  readonly entries: readonly (readonly [number, SavedEntry])[]
  readonly starts: SavedMarks
  readonly ends: SavedMarks
}

function savedRecord({ entries, starts, ends }: CampaignRecord): SavedRecord {
  return {
    entries: Array.from(entries, ([account, { volumes, ...entry }]) => [
      account,
      { ...entry, volumes: [...volumes] },
    ]),
    starts: starts && [...starts],
    ends: ends && [...ends],
  }
}

function loadRecord(into: CampaignRecord, { entries, starts, ends }: SavedRecord): void {
  for (const [account, { volumes, ...entry }] of entries)
    into.entries.set(account, { ...entry, volumes: new Map(volumes) })
  into.starts = starts && new Map(starts)
  into.ends = ends && new Map(ends)
}
