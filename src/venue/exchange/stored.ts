import type { EntityStore } from '../../core/ports.ts'
import { decodeEntity } from './entity-json.ts'

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

/** Every stored entity of a kind, of whatever version. */
export function readEntities<T>(entities: EntityStore, kind: string): T[] {
  return Array.from(entities.load(kind), ({ json }) => decodeEntity<T>(json, untagged))
}

function untagged(name: string, value: unknown): unknown {
  return UNTAGGED_AMOUNTS.has(name) && typeof value === 'string' ? BigInt(value) : value
}
