import { BACKUP_MARK_FILE } from '../contract/operator/process.ts'
import { reportUnexpected } from '../core/loop/guarded.ts'
import type { StoreFacts } from '../store/connection/file-facts.ts'
import type { CommandArguments, CommandEnvironment } from './command/command.ts'
import { BACKUP_FLAGS } from './command/flags.ts'
import { assertOwnFile, reported, type StoreCommand } from './command/store-command.ts'

const STORE = 'prepd.sqlite'

/** Copies the store of a data directory into a new file while prepd runs, and verifies the copy. */
export const backupCommand: StoreCommand = (deps, args) =>
  reported(deps, async () => {
    const to = backupPath(args)
    const facts = await openOwnStore(deps).backup(to)
    return { backup: to, ...shown(facts), ...markBackup(deps) }
  })

/** Writes the backup's time to a file that the running server reads for its metrics. A failure is only a warning. */
function markBackup({ settings, world: { disk, clock } }: CommandEnvironment): {
  readonly warning?: string
} {
  const mark = `${settings.dataDir}/${BACKUP_MARK_FILE}`
  try {
    // An earlier file may belong to a different user, so it is removed and created again.
    disk.remove(mark)
    disk.writeSecret(mark, `${new Date(clock.nowMs()).toISOString()}\n`, 'new')
    return {}
  } catch (error) {
    reportUnexpected('process', error, Error)
    return {
      warning: `The copy is complete, but ${mark} cannot be written, so metrics lack the new backup.`,
    }
  }
}

/** Restores a backup into the settings' data directory, which must not have a store. */
export const restoreCommand: StoreCommand = (deps, args) =>
  reported(deps, async () => {
    const { settings } = deps
    assertOwnFile(settings)
    const { vouchersPaused, ...facts } = await restored(deps, args)
    return {
      restored: settings.dataDir,
      ...facts,
      lost: LOST_NOTE,
      next: vouchersPaused ? `${NEXT_STEP} ${VOUCHERS}` : NEXT_STEP,
    }
  })

const LOST_NOTE =
  'Changes after the backup: freezes, mandates, webhooks, approvals, standby cancels, and the use of limits. Limits of a day count as used up until a day has passed.'
const NEXT_STEP =
  'Start prepd. Cancels go at once. Other writes signed before now, and for 5 minutes after the start, are not sent. Accounts may only cancel and reduce until their wallet signs a mandate, or until you run: prepd --mode admin loss confirm'
const VOUCHERS =
  'Vouchers wait until you run: prepd --mode admin voucher adopt. If no voucher was signed after the backup, add --complete. Otherwise prepd signs no new voucher until lost ones have expired.'

async function restored(deps: CommandEnvironment, args: CommandArguments) {
  const from = backupPath(args)
  const { world, settings } = deps
  if (!args.has(BACKUP_FLAGS.identity.flag) && !isEncrypted(from)) {
    const facts = await world.restoreStore(from, settings.dataDir, world.clock.nowMs())
    return { ...shown(facts), vouchersPaused: facts.vouchersPaused }
  }
  const { restoreEncrypted } = await import('./backups.ts')
  const { from: backup, madeAt, files, ...facts } = await restoreEncrypted(deps, args)
  return { backup, madeAt, files, ...shown(facts), vouchersPaused: facts.vouchersPaused }
}

/** Whether an operand names an encrypted backup: a file or a backup at the configured target. */
function isEncrypted(from: string): boolean {
  return from === 'latest' || from.startsWith('s3://') || from.endsWith('.age')
}

/** Reads every page of the store. Returns the exit code: 0, or 1 if a page is damaged. */
export const dbCheckCommand: StoreCommand = async (deps) => {
  let damaged = false
  const exitCode = await reported(deps, async () => {
    const facts = await openOwnStore(deps).look()
    const { damage, difference } = facts
    const sound = damage === null && difference === null
    damaged = !sound || facts.version > facts.known
    return { ...shown(facts), sound, damage, difference }
  })
  return damaged ? 1 : exitCode
}

/** Rewrites the store without its free pages. prepd must be stopped. */
export const dbVacuumCommand: StoreCommand = (deps) =>
  reported(deps, () => openOwnStore(deps).vacuum())

function backupPath(args: CommandArguments): string {
  return args.get('FILE') ?? ''
}

function openOwnStore({ settings, world }: CommandEnvironment) {
  assertOwnFile(settings)
  return world.openStoreFile(`${settings.dataDir}/${STORE}`)
}

function shown({ version, sizeBytes, venueBytes, sqlite, sequence }: StoreFacts) {
  return {
    storeVersion: version,
    sizeBytes,
    ...(venueBytes !== undefined && { venueBytes }),
    commits: sequence,
    sqlite,
  }
}
