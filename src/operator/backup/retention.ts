import { DAY_MS } from '../../contract/durations.ts'
import type { Retention } from './config.ts'

const NAME = /^prepd-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar\.zst\.age$/

/** The file name of a backup that was made at a time. */
export function backupName(atMs: number): string {
  return `prepd-${new Date(atMs).toISOString().replace(/[-:]|\.\d+/g, '')}.tar.zst.age`
}

/** The time in a backup's file name; null for any other name. */
export function backupTimeMs(name: string): number | null {
  const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? []
  if (year === undefined) return null
  const atMs = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(atMs) ? null : atMs
}

/** Suffix of the name of a damaged backup. */
export const REJECTED = '.damaged'

/** Suffix of the name under which a copy to a folder is written until it is complete. */
export const UNFINISHED = '.new'

/** The names of undamaged backups, oldest first. Other names are ignored. */
export function inOrder(names: readonly string[]): readonly string[] {
  const all = new Set(names)
  return names.filter((name) => backupTimeMs(name) !== null && !all.has(name + REJECTED)).sort()
}

/**
 * The backups to remove. Retention keeps every backup from the 24 hours before the newest backup, and the last backup
 * of each of the newest days, weeks and months that have a backup. It also removes copies that were interrupted more
 * than a day before the newest backup. Other names are ignored.
 */
export function expiredBackups(names: readonly string[], keep: Retention): readonly string[] {
  const newestFirst = inOrder(names).toReversed()
  const [newest = ''] = newestFirst
  const dayBeforeMs = (backupTimeMs(newest) ?? 0) - DAY_MS
  const kept = new Set([
    ...newestFirst.filter((name) => (backupTimeMs(name) ?? 0) > dayBeforeMs),
    ...lastOfEach(newestFirst, keep.daily, epochDay),
    ...lastOfEach(newestFirst, keep.weekly, (atMs) => Math.floor((epochDay(atMs) + 3) / 7)),
    ...lastOfEach(newestFirst, keep.monthly, (atMs) => new Date(atMs).toISOString().slice(0, 7)),
  ])
  const interrupted = names.filter((name) => {
    const atMs = name.endsWith(UNFINISHED) ? backupTimeMs(name.slice(0, -UNFINISHED.length)) : null
    return atMs !== null && atMs <= dayBeforeMs
  })
  return [...newestFirst.filter((name) => !kept.has(name)).toReversed(), ...interrupted]
}

/** Days since the epoch, in UTC. The epoch was a Thursday. */
function epochDay(atMs: number): number {
  return Math.floor(atMs / DAY_MS)
}

function lastOfEach(
  newestFirst: readonly string[],
  periodsMax: number,
  periodOf: (atMs: number) => number | string,
): readonly string[] {
  const last = new Map<number | string, string>()
  for (const name of newestFirst) {
    const period = periodOf(backupTimeMs(name) ?? 0)
    if (!last.has(period)) last.set(period, name)
  }
  return [...last.values()].slice(0, periodsMax)
}
