import { type BoundedMap, createBoundedMap } from '../core/bounded-map.ts'
import { LIMITS, type PolicyName } from '../spec/limits.ts'
import { rowKey } from './window-desk.ts'
import type { Shard, WindowTable } from './window-table.ts'

/** Where a window is: the key of its row, and the part of the table that has it. */
type Place = { readonly row: string; readonly shard: Shard }

/** Finds windows by policy and key. Finding one costs more than charging it, so those asked for lately are known. */
export function createPlaces({
  shardOf,
}: Pick<WindowTable, 'shardOf'>): (name: PolicyName, key: string) => Place {
  const lately: Partial<Record<PolicyName, BoundedMap<string, Place>>> = {}

  function found(name: PolicyName, key: string): Place {
    const row = rowKey(name, key)
    const place = { row, shard: shardOf(row) }
    lately[name] ??= createBoundedMap(LIMITS.windowsKnownMaxChars)
    lately[name].put(key, place, row.length)
    return place
  }

  return (name, key) => lately[name]?.get(key) ?? found(name, key)
}
