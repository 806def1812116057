import { expect, test } from 'bun:test'
import { DAY_MS, HOUR_MS } from '../../../src/contract/durations.ts'
import type { NOTICE_CONDITIONS } from '../../../src/operator/notify/conditions.ts'
import { randomOf } from '../../faults/random.ts'
import { AWAY, openNotifier } from './fixture.ts'

/** How often the server looks at what is missing for readiness. */
const PROBE_MS = 15_000
const NOTICE_MAX_MS = 60_000
const DAYS = 7

/** How each trouble shows to the notifier, and how its end does. */
type Trouble = { readonly begin: () => void; readonly end: () => void; readonly probed?: true }

function troublesOf({ world, meter }: ReturnType<typeof openNotifier>) {
  let [disk, certificateMs, skew, engine] = [2 ** 40, world.nowMs + 100 * DAY_MS, 0, 1]
  let [backup, signer, cap, maintenance, lost] = [0, 1, 0, 0, 0]
  meter.reading('prepd_data_free_bytes', () => disk)
  meter.reading('prepd_tls_certificate_end_time_seconds', () => certificateMs / 1000)
  meter.reading('prepd_venue_clock_skew_seconds', () => skew)
  meter.reading('prepd_engine_up', () => engine, 'postgres')
  meter.reading('prepd_engine_up', () => 1, 'valkey')
  meter.reading('prepd_backup_failing', () => backup)
  meter.reading('prepd_voucher_signer_up', () => signer)
  meter.reading('prepd_voucher_cap_used_ratio', () => cap)
  meter.reading('prepd_maintenance', () => maintenance)
  meter.reading('prepd_records_lost', () => lost)
  const missing = (begun: string) => ({
    begin: () => {
      world.missing = begun
    },
    end: () => {
      world.missing = null
    },
    probed: true as const,
  })
  const set = (begin: () => void, end: () => void): Trouble => ({ begin, end })
  return {
    store_failing: missing('store: store_unavailable'),
    venue_away: missing(AWAY),
    disk_low: set(
      () => {
        disk = 2 ** 29
      },
      () => {
        disk = 2 ** 40
      },
    ),
    certificate_ends: set(
      () => {
        certificateMs = world.nowMs + DAY_MS
      },
      () => {
        certificateMs = world.nowMs + 100 * DAY_MS
      },
    ),
    clock_skew: set(
      () => {
        skew = -31
      },
      () => {
        skew = 0.2
      },
    ),
    engine_away: set(
      () => {
        engine = 0
      },
      () => {
        engine = 1
      },
    ),
    backup_failing: set(
      () => {
        backup = 1
      },
      () => {
        backup = 0
      },
    ),
    voucher_signer_away: set(
      () => {
        signer = 0
      },
      () => {
        signer = 1
      },
    ),
    voucher_cap_near: set(
      () => {
        cap = 0.9
      },
      () => {
        cap = 0.1
      },
    ),
    records_lost: set(
      () => {
        lost = 1
      },
      () => {
        lost = 0
      },
    ),
    maintenance: set(
      () => {
        maintenance = 1
      },
      () => {
        maintenance = 0
      },
    ),
  } satisfies Partial<Record<keyof typeof NOTICE_CONDITIONS, Trouble>>
}

// Slow: a notifier looks at a week of 140 changes, every five seconds.
test('in a week of troubles each is sent within a minute, once, and once more within a minute of its end', async () => {
  const notifier = openNotifier()
  const { world, sent, pass, notices } = notifier
  const random = randomOf(7)
  const worst: Record<string, readonly [begun: number, over: number]> = {}
  const troubles = Object.entries<Trouble>(troublesOf(notifier))
  await pass(60_000)
  for (let day = 0; day < DAYS; day += 1)
    for (const [name, trouble] of troubles) {
      world.nowMs += Math.floor(random() * HOUR_MS)
      const before = notices().length
      const lasts = [trouble.begin, trouble.end] as const
      const took: number[] = []
      for (const change of lasts) {
        const count = sent.length
        const atMs = world.nowMs
        // A probe that has just looked sees it a whole turn later.
        if (trouble.probed) await pass(PROBE_MS)
        change()
        await pass(3 * NOTICE_MAX_MS)
        expect(sent.length).toBe(count + 1)
        took.push((sent.at(-1)?.atMs ?? Number.POSITIVE_INFINITY) - atMs)
      }
      const own = notices().slice(before)
      expect(own.map((notice) => [notice['name'], notice['state']])).toEqual([
        [name, 'begun'],
        [name, 'over'],
      ])
      const [begun = 0, over = 0] = took
      const [longest = 0, longestOver = 0] = worst[name] ?? []
      worst[name] = [Math.max(longest, begun), Math.max(longestOver, over)]
    }
  expect(Object.keys(worst)).toHaveLength(11)
  for (const times of Object.values(worst))
    for (const ms of times) expect(ms).toBeLessThanOrEqual(NOTICE_MAX_MS)
})
