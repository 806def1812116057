import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DAY_MS, HOUR_MS } from '../../../src/contract/durations.ts'
import { backupName, backupTimeMs, expiredBackups } from '../../../src/operator/backup/retention.ts'

const START_MS = Date.parse('2026-11-23T05:30:00Z')

describe('the backups that are kept', () => {
  test('are those of a day, and the last of so many days, weeks and months', () => {
    const names = Array.from({ length: 400 }, (_, day) => backupName(START_MS - day * DAY_MS))
    const gone = new Set(expiredBackups(names, { daily: 7, weekly: 4, monthly: 12 }))
    const kept = names.filter((name) => !gone.has(name)).map((name) => name.slice(6, 14))
    expect(kept).toEqual([
      ...['20261123', '20261122', '20261121', '20261120', '20261119', '20261118', '20261117'],
      ...['20261115', '20261108', '20261031', '20260930', '20260831', '20260731', '20260630'],
      ...['20260531', '20260430', '20260331', '20260228', '20260131', '20251231'],
    ])
  })

  test('hold all of the last day, however short the period', () => {
    const names = Array.from({ length: 48 }, (_, hour) => backupName(START_MS - hour * HOUR_MS))
    expect(expiredBackups(names, { daily: 0, weekly: 0, monthly: 0 })).toEqual(
      names.slice(24).toReversed(),
    )
  })

  test('do not include a copy that was interrupted more than a day ago', () => {
    const interrupted = [25, 24, 23, 0].map(
      (hours) => `${backupName(START_MS - hours * HOUR_MS)}.new`,
    )
    const keep = { daily: 7, weekly: 4, monthly: 12 }
    expect(expiredBackups([...interrupted, backupName(START_MS)], keep)).toEqual(
      interrupted.slice(0, 2),
    )
    expect(expiredBackups(interrupted, keep)).toEqual([])
  })

  test('never go by a name that is not of a backup, and the last one never goes', () => {
    const times = fc.array(fc.integer({ min: 0, max: 4_000_000_000 }), {
      minLength: 1,
      maxLength: 60,
    })
    const counts = fc.record({ daily: fc.nat(10), weekly: fc.nat(10), monthly: fc.nat(10) })
    fc.assert(
      fc.property(times, counts, fc.array(fc.string()), (seconds, keep, foreign) => {
        const names = [...new Set(seconds.map((second) => backupName(second * 1000)))]
        const gone = expiredBackups([...names, ...foreign, 'prepd.tar.zst.age.new'], keep)
        expect(gone.every((name) => names.includes(name))).toBe(true)
        expect(gone).not.toContain([...names].sort().at(-1))
        expect(
          expiredBackups(
            names.filter((name) => !gone.includes(name)),
            keep,
          ),
        ).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  test('are named by the second they were made in', () => {
    expect(backupTimeMs(backupName(START_MS + 999))).toBe(START_MS)
    for (const name of [
      'x',
      'prepd-20261123T053000Z.tar.zst.age.new',
      'prepd-20261341T053000Z.tar.zst.age',
    ])
      expect(backupTimeMs(name)).toBeNull()
  })
})
