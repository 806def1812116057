import type { EntityStore } from '../../core/ports.ts'
import { decodeEntity } from './entity-json.ts'
import { COUNTERS, type EntityKind } from './journal.ts'
import {
  type Account,
  type ClosedPosition,
  type Consumed,
  type Counters,
  type Day,
  emptyAccount,
  type FundingCharge,
  isOpen,
  type Key,
  type Order,
  type Position,
  type Profile,
  type Trade,
  type Transfer,
} from './state.ts'

export type Loaded = {
  readonly accounts: Map<string, Account>
  readonly nonces: Map<string, number>
  readonly consumed: Map<string, Consumed>
  readonly counters: Counters
}

/** Reads back everything that journals have committed; `initial` are the counters of an empty store. */
export function loadEntities(entities: EntityStore, initial: Counters): Loaded {
  const accounts = new Map<string, Account>()
  for (const profile of read<Profile>(entities, 'account'))
    accounts.set(profile.accountId, emptyAccount(profile))

  function each<T extends { accountId: string }>(kind: EntityKind, add: Adder<T>): void {
    for (const entity of read<T>(entities, kind)) {
      const account = accounts.get(entity.accountId)
      if (account) add(account, entity)
    }
  }
  each<Key>('key', ({ keys }, key) => keys.set(key.publicKey, key))
  each<Order>('order', ({ open, finished }, order) =>
    isOpen(order) ? open.set(order.id, order) : finished.push(order),
  )
  each<Position>('position', ({ positions }, position) => positions.set(position.symbol, position))
  each<Day>('day', ({ days }, day) => days.set(day.date, day))
  each<Trade>('trade', ({ trades }, trade) => trades.push(trade))
  each<FundingCharge>('funding', ({ fundings }, charge) => fundings.push(charge))
  each<ClosedPosition>('closed', ({ closed }, position) => closed.push(position))
  each<Transfer>('transfer', ({ transfers }, transfer) => transfers.push(transfer))
  for (const account of accounts.values()) sortHistories(account)

  const issued = read<{ value: string; expiresAtMs: number }>(entities, 'nonce')
  issued.sort((a, b) => a.expiresAtMs - b.expiresAtMs)
  const nonces = new Map(issued.map(({ value, expiresAtMs }) => [value, expiresAtMs]))
  const [counters = initial] = read<Counters>(entities, COUNTERS)
  const consumed = new Map(
    read<Consumed>(entities, 'consumed').map((taken) => [taken.symbol, taken]),
  )
  return { accounts, nonces, consumed, counters }
}

type Adder<T> = (account: Account, entity: T) => unknown

/** The bigint fields of entities stored before versions, then decimal text. Closed: what is stored since needs no list. */
const UNTAGGED_AMOUNTS: ReadonlySet<string> = new Set([
  'accruedFunding',
  'amount',
  'averageOpen',
  'closedQuantity',
  'closedValue',
  'cost',
  'executed',
  'executedValue',
  'fee',
  'fees',
  'funding',
  'holding',
  'lastSumUnitary',
  'mark',
  'maxQuantity',
  'price',
  'quantity',
  'rate',
  'realizedPnl',
  'tradingFee',
  'visible',
  'volume',
])

function read<T>(entities: EntityStore, kind: string): T[] {
  return Array.from(entities.load(kind), ({ json }) => decodeEntity<T>(json, untagged))
}

function untagged(name: string, value: unknown): unknown {
  return UNTAGGED_AMOUNTS.has(name) && typeof value === 'string' ? BigInt(value) : value
}

function sortHistories({ finished, trades, fundings, closed, transfers }: Account): void {
  finished.sort((a, b) => a.updatedAtMs - b.updatedAtMs || a.id - b.id)
  for (const history of [trades, fundings, closed, transfers]) history.sort((a, b) => a.id - b.id)
}
