import { beforeEach, describe, expect, test } from 'bun:test'
import { HOUR_MS } from '../../../src/contract/durations.ts'
import { BACKUP_LIMITS, type BackupReport } from '../../../src/contract/operator/backup.ts'
import { createMeter } from '../../../src/core/observing/meter.ts'
import type { ProcessResult } from '../../../src/core/ports.ts'
import { createBackups } from '../../../src/operator/backup/schedule.ts'

const REPORT: BackupReport = {
  backup: '/b',
  sizeBytes: 1,
  rows: 2,
  left: [],
  removed: 0,
  drilled: false,
}

let nowMs: number
let lastMs: number
let runs: number
let ending: ProcessResult | Error | Promise<ProcessResult>
let lines: { readonly level: string; readonly event: string; readonly reason?: unknown }[]
let meter: ReturnType<typeof createMeter>
let backups: ReturnType<typeof createBackups>

beforeEach(() => {
  nowMs = 1_800_000_000_000
  lastMs = 0
  runs = 0
  ending = { exitCode: 0, stdout: JSON.stringify(REPORT) }
  lines = []
  meter = createMeter(() => 0)
  const at = (level: string) => (event: string, fields?: object) =>
    void lines.push({ level, event, ...fields })
  const make = async () => {
    runs += 1
    if (ending instanceof Error) throw ending
    const ended = await ending
    if (ended.exitCode === 0) lastMs = nowMs
    return ended
  }
  backups = createBackups({
    config: { everyMs: 6 * HOUR_MS },
    clock: { nowMs: () => nowMs },
    log: { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') },
    meter,
    lastMs: () => lastMs,
    make,
  })
})

async function pass(ms: number): Promise<void> {
  for (const endMs = nowMs + ms; nowMs < endMs; ) {
    nowMs += BACKUP_LIMITS.lookEveryMs
    await backups.look()
  }
}

const isFailing = () => meter.samples('prepd_backup_failing')[0]?.value

describe('the backups of a running server', () => {
  test('are made at once where there is none, and then once in each period', async () => {
    await backups.look()
    expect(runs).toBe(1)
    await pass(24 * HOUR_MS)
    expect(runs).toBe(5)
    expect([isFailing(), backups.trouble()]).toEqual([0, null])
    expect(lines[0]).toMatchObject({ level: 'info', event: 'backup_made', backup: '/b' })
  })

  test.each([
    [
      'an exit code',
      { exitCode: 1, stdout: '{"exitCode":1,"lines":["the disk is full"]}' },
      'the disk is full',
    ],
    ['no report', { exitCode: 0, stdout: '{"half":' }, 'it printed no report'],
  ])(
    'that fail with %s are tried again each hour, and say so until one is made',
    async (_, failing, reason) => {
      ending = failing
      await backups.look()
      await pass(HOUR_MS - BACKUP_LIMITS.lookEveryMs)
      expect(runs).toBe(1)
      await pass(2 * HOUR_MS)
      expect(runs).toBe(3)
      expect(lines[0]).toMatchObject({ level: 'error', event: 'backup_failed', reason })
      expect([isFailing(), backups.trouble()]).toEqual([
        1,
        expect.stringContaining('backup_failed'),
      ])
      ending = { exitCode: 0, stdout: JSON.stringify(REPORT) }
      await pass(HOUR_MS)
      expect([isFailing(), backups.trouble()]).toEqual([0, null])
    },
  )

  test('that cannot be started count as failed', async () => {
    ending = new Error('no such program')
    await expect(backups.look()).rejects.toThrow('no such program')
    expect(isFailing()).toBe(1)
    await pass(HOUR_MS / 2)
    expect(runs).toBe(1)
  })

  test('are not begun while one is under way', async () => {
    const under = Promise.withResolvers<ProcessResult>()
    ending = under.promise
    const first = backups.look()
    await backups.look()
    expect(runs).toBe(1)
    under.resolve({ exitCode: 0, stdout: JSON.stringify(REPORT) })
    await first
  })

  test('are old after two periods; a clock that was set back keeps none waiting', async () => {
    lastMs = nowMs - 12 * HOUR_MS
    expect(backups.trouble()).toBeNull()
    nowMs += 1
    expect(backups.trouble()).toBe('The last backup is older than two of its periods.')
    lastMs = nowMs + 365 * 24 * HOUR_MS
    await backups.look()
    expect(runs).toBe(1)
  })
})
