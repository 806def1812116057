import { Value } from '@sinclair/typebox/value'
import { BACKUP_LIMITS, BackupReport } from '../../contract/operator/backup.ts'
import { parsedJson } from '../../core/json.ts'
import type { Meter } from '../../core/observing/meter.ts'
import type { Clock, Log, ProcessResult } from '../../core/ports.ts'
import type { BackupConfig } from './config.ts'

type BackupScheduleOptions = {
  readonly config: Pick<BackupConfig, 'everyMs'>
  readonly clock: Clock
  readonly log: Log
  readonly meter: Pick<Meter, 'reading'>
  /** The time at which the last backup was made; 0 before the first, null if unknown. */
  readonly lastMs: () => number | null
  /** Runs the backup command in a separate process, so that a large store does not delay requests. */
  readonly make: () => Promise<ProcessResult>
}

/** The backups of a running server. */
export type Backups = {
  /** Makes a backup if it is due. */
  readonly look: () => Promise<void>
  /** One sentence that says the last backup is too old and why; null if it is recent enough. */
  readonly trouble: () => string | null
}

/** Makes a backup when the last backup is older than configured. After a failure, tries again an hour later. */
export function createBackups({
  config,
  clock,
  log,
  meter,
  lastMs,
  make,
}: BackupScheduleOptions): Backups {
  let failedAtMs: number | null = null
  let isUnderWay = false
  meter.reading('prepd_backup_failing', () => Number(failedAtMs !== null))

  /** The absolute difference, so that a clock that was set back does not delay the next backup. */
  const ageMs = () => Math.abs(clock.nowMs() - (lastMs() ?? 0))

  function isDue(): boolean {
    if (failedAtMs === null) return ageMs() >= config.everyMs
    return Math.abs(clock.nowMs() - failedAtMs) >= BACKUP_LIMITS.retryAfterMs
  }

  async function made(): Promise<void> {
    const { exitCode, stdout } = await make()
    const outcome = backupOutcome(exitCode, stdout)
    if ('report' in outcome) {
      const { report } = outcome
      failedAtMs = null
      log.info('backup_made', { ...report, left: report.left.join(', ') })
      return
    }
    failedAtMs = clock.nowMs()
    log.error('backup_failed', { exitCode, reason: outcome.reason })
  }

  return {
    look: async () => {
      if (isUnderWay || !isDue()) return
      isUnderWay = true
      try {
        await made()
      } catch (error) {
        failedAtMs = clock.nowMs()
        throw error
      } finally {
        isUnderWay = false
      }
    },
    trouble: () => {
      if (failedAtMs !== null) return 'The last backup failed: backup_failed in the log says why.'
      const isOld = ageMs() > BACKUP_LIMITS.oldAfterPeriods * config.everyMs
      return isOld && lastMs() !== 0 ? 'The last backup is older than two of its periods.' : null
    },
  }
}

/** The report of the backup command, or the reason why it failed. */
export function backupOutcome(
  exitCode: number,
  stdout: string,
): { readonly report: BackupReport } | { readonly reason: string } {
  const report: unknown = parsedJson(stdout)
  const isMade = exitCode === 0 && Value.Check(BackupReport, report)
  return isMade ? { report } : { reason: printedReason(report) }
}

/** The lines that a failed command printed. */
function printedReason(report: unknown): string {
  const isLines = typeof report === 'object' && report !== null && 'lines' in report
  return isLines && Array.isArray(report.lines) ? report.lines.join(' ') : 'it printed no report'
}
