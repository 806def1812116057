import { BACKUP_LIMITS } from '../contract/operator/backup.ts'
import { BACKUP_MARK_FILE } from '../contract/operator/process.ts'
import { every } from '../core/loop/guarded.ts'
import type { Meter } from '../core/observing/meter.ts'
import type { RunCommand, World } from '../core/ports.ts'
import { readBounded } from '../core/settings/files.ts'
import type { Settings } from '../core/settings/settings.ts'
import { readBackupConfig } from '../operator/backup/config.ts'
import { backupOutcome, createBackups } from '../operator/backup/schedule.ts'
import { isUpgradeDue } from '../store/connection/upgrade.ts'
import { markSeconds } from './process-readings.ts'
import { starting } from './start-error.ts'

/** The backups of this process. */
export type OpenBackups = {
  /** Why the last backup is too old; null if it is recent enough, or the setting is off. */
  readonly backupTrouble: () => string | null
  readonly stopBackups: () => void
}

const NONE: OpenBackups = { backupTrouble: () => null, stopBackups: () => undefined }

/**
 * Starts scheduled backups, if they are configured and this process can start commands. Throws StartError for an
 * invalid file of the setting.
 */
export async function openBackups(
  { backup, dataDir, engines }: Settings,
  world: World,
  { path, meter }: { readonly path: string; readonly meter: Meter },
): Promise<OpenBackups> {
  if (backup === null) {
    if (path !== ':memory:' && !engines) meter.reading('prepd_backup_failing', () => 0)
    return NONE
  }
  const config = await starting('BACKUP', backup, () => readBackupConfig(readBounded(backup)))
  const { runCommand } = world
  if (path === ':memory:' || !runCommand) return NONE
  const ending = new AbortController()
  const lastMs = () => {
    const seconds = markSeconds(dataDir, BACKUP_MARK_FILE)
    return seconds === null ? null : seconds * 1000
  }
  const { look, trouble } = createBackups({
    ...world,
    ...{ config, meter, lastMs },
    make: () => makeNow(runCommand, ending.signal),
  })
  const timer = every('process', BACKUP_LIMITS.lookEveryMs, look)
  return {
    backupTrouble: trouble,
    stopBackups: () => {
      clearInterval(timer)
      ending.abort()
    },
  }
}

/**
 * Makes a backup of a store before its migration, if backups are configured. If the backup fails the start continues,
 * because the migration itself keeps a copy next to the store. Throws StartError as `openBackups`.
 */
export async function backUpBeforeUpgrade(
  { backup, dataDir, engines }: Settings,
  { runCommand, log }: Pick<World, 'runCommand' | 'log'>,
  path: string,
): Promise<void> {
  if (backup === null || engines || path === ':memory:' || !runCommand) return
  if (!(await starting('DATA_DIR', dataDir, () => isUpgradeDue(path)))) return
  await starting('BACKUP', backup, () => readBackupConfig(readBounded(backup)))
  const deadline = AbortSignal.timeout(BACKUP_LIMITS.beforeUpgradeMs)
  const { exitCode, stdout } = await runCommand(MAKE, deadline)
  const outcome = backupOutcome(exitCode, stdout)
  if ('report' in outcome) log.info('backup_before_upgrade', { backup: outcome.report.backup })
  else log.error('backup_before_upgrade_failed', { exitCode, reason: outcome.reason })
}

const MAKE = ['backups', 'make', '--json']

function makeNow(runCommand: RunCommand, ending: AbortSignal) {
  const deadline = AbortSignal.timeout(BACKUP_LIMITS.deadlineMs)
  return runCommand(MAKE, AbortSignal.any([ending, deadline]))
}
