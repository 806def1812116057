import { expected } from '../core/loop/guarded.ts'
import { recordsAt } from '../settings/engines.ts'
import { printable } from '../settings/usage-error.ts'
import { BACKUP_MARK } from '../spec/operator/process.ts'
import type { StoreFacts } from '../store/connection/facts.ts'
import type { CommandArguments, CommandDeps } from './command/command.ts'
import { linesOf } from './command/tables.ts'

type StoreCommand = (deps: CommandDeps, args: CommandArguments) => Promise<0 | 1>

const STORE = 'prepd.sqlite'

/** Copies the store of a data directory into a new file while prepd runs, and reads the copy through. */
export const backupCommand: StoreCommand = (deps, args) =>
  reported(deps, async () => {
    const to = fileOf(args)
    const facts = await storeOf(deps).backup(to)
    return { backup: to, ...shown(facts), ...marked(deps) }
  })

/** Leaves the time of a backup where the running server reads it for its metrics; what stands in the way is a warning. */
function marked({ settings, world: { disk, clock } }: CommandDeps): { readonly warning?: string } {
  const mark = `${settings.dataDir}/${BACKUP_MARK}`
  try {
    // An earlier one may belong to another user.
    disk.remove(mark)
    disk.writeSecret(mark, `${new Date(clock.nowMs()).toISOString()}\n`, 'new')
    return {}
  } catch (error) {
    expected('process', error, Error)
    return {
      warning: `The copy is whole, but ${mark} cannot be written: metrics show no new backup.`,
    }
  }
}

/** Puts a backup into the data directory of the settings, which must have no store. */
export const restoreCommand: StoreCommand = (deps, args) =>
  reported(deps, async () => {
    const { settings, world } = deps
    assertOwnFile(settings)
    const facts = await world.restoreStore(fileOf(args), settings.dataDir, world.clock.nowMs())
    const { vouchersPaused } = facts
    return {
      restored: settings.dataDir,
      ...shown(facts),
      next: vouchersPaused
        ? 'Writes signed before now, and for 5 minutes after the start, are not sent. Vouchers are paused: resume them once you know that none was signed after the backup.'
        : 'Writes signed before now, and for 5 minutes after the start, are not sent: their outcome is unknown here.',
    }
  })

/** Reads every page of the store. Exit code 1 when something is damaged. */
export const dbCheckCommand: StoreCommand = async (deps) => {
  let damaged = false
  const exitCode = await reported(deps, async () => {
    const facts = await storeOf(deps).look()
    const { damage, difference } = facts
    const sound = damage === null && difference === null
    damaged = !sound || facts.version > facts.known
    return { ...shown(facts), sound, damage, difference }
  })
  return damaged ? 1 : exitCode
}

/** Writes the store anew without its gaps, while no prepd runs. */
export const dbVacuumCommand: StoreCommand = (deps) => reported(deps, () => storeOf(deps).vacuum())

function fileOf(args: CommandArguments): string {
  return args.get('FILE') ?? ''
}

function storeOf({ settings, world }: CommandDeps) {
  assertOwnFile(settings)
  return world.openStoreFile(`${settings.dataDir}/${STORE}`)
}

/** What instances share has tools of its own. */
function assertOwnFile(settings: CommandDeps['settings']): void {
  if (settings.engines)
    throw new Error(
      `records are in ${recordsAt(settings)}: keep and check them with its own tools, such as pg_basebackup`,
    )
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

async function reported(deps: CommandDeps, call: () => Promise<object>): Promise<0 | 1> {
  try {
    const answer = await call()
    deps.report(answer, linesOf(answer))
    return 0
  } catch (error) {
    deps.print(printable(error instanceof Error ? error.message : 'unknown'))
    return 1
  }
}
