import { isPolicyName, type PolicyName } from '../../contract/limits.ts'
import type { Clock, Store } from '../../core/ports.ts'
import { unchargedDecision } from './gcra.ts'
import { type NamedPolicy, type RateVerdict, toRateVerdict, unlimited } from './verdict.ts'
import type { WindowTable } from './window-table.ts'

/** A window in debt, and the time at which its debt ends. */
type WindowRow = {
  readonly policy: PolicyName
  readonly key: string
  readonly emptyAtMs: number
}

/** The operator's view of rate windows. */
export type WindowAdmin = Readonly<ReturnType<typeof createWindowAdmin>>

/** Lets the operator list and reset windows of a table. */
export function createWindowAdmin(
  { clock, store }: { readonly clock: Clock; readonly store: Store['windows'] },
  table: WindowTable,
  policyOf: (policy: PolicyName, key: string) => NamedPolicy | undefined,
  isShared: boolean,
) {
  /** The decision of one window, without taking from it. */
  function show(name: PolicyName, key: string): RateVerdict {
    const policy = policyOf(name, key)
    if (!policy) return unlimited(name)
    const row = rowKey(name, key)
    const owedMs = table.shardOf(row).get(row)
    return toRateVerdict(unchargedDecision(owedMs, clock.nowMs(), policy, isShared), policy)
  }

  /** Resets one window, in memory and in the store. */
  function forget(name: PolicyName, key: string): void {
    const row = rowKey(name, key)
    store.save([{ key: row, atMs: 0 }])
    table.shardOf(row).drop(row)
  }

  /** At most `rowsMax` windows in debt, of one policy or of all, in no order. */
  function list(only: PolicyName | null, rowsMax: number): readonly WindowRow[] {
    const rows: WindowRow[] = []
    const nowMs = clock.nowMs()
    for (const [row, emptyAtMs] of table.entries()) {
      if (rows.length >= rowsMax) break
      const window = emptyAtMs > nowMs ? parseRowKey(row, only) : null
      if (window) rows.push({ ...window, emptyAtMs })
    }
    return rows
  }

  return { list, show, forget }
}

/** The key of a window's row. */
export function rowKey(name: PolicyName, key: string): string {
  return `${name} ${key}`
}

/** Parses a row key; null for a policy other than the requested one. */
function parseRowKey(
  row: string,
  only: PolicyName | null,
): Pick<WindowRow, 'policy' | 'key'> | null {
  const cut = row.indexOf(' ')
  const policy = row.slice(0, cut)
  if (!isPolicyName(policy) || (only !== null && policy !== only)) return null
  return { policy, key: row.slice(cut + 1) }
}
