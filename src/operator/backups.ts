import { BUILD_FACTS } from '../core/build-facts.ts'
import { readTextFile, settingText } from '../core/settings/files.ts'
import { printable } from '../core/settings/usage-error.ts'
import { backupKeyIn, newBackupKey } from './backup/archive.ts'
import { type BackupConfig, readBackupConfig } from './backup/config.ts'
import { makeBackup } from './backup/make.ts'
import { drillBackup, findBackup, restoreBackup } from './backup/restore.ts'
import { backupTimeMs, inOrder } from './backup/retention.ts'
import { openBackupTarget } from './backup/target.ts'
import type { CommandArguments, CommandEnvironment } from './command/command.ts'
import { BACKUP_FLAGS } from './command/flags.ts'
import { assertOwnFile, reported, type StoreCommand } from './command/store-command.ts'

/** Makes a backup as the setting BACKUP describes. The running server reads this command's report. */
export const backupsMake: StoreCommand = (deps, args) =>
  reported(deps, async () => {
    const { settings, world } = deps
    assertOwnFile(settings)
    const config = readConfig(deps)
    const { dataDir, serviceName: service } = settings
    const isFirst = args.has(BACKUP_FLAGS.first.flag)
    const of = {
      dataDir,
      service,
      version: BUILD_FACTS.version,
      nowMs: world.clock.nowMs(),
      isFirst,
    }
    return makeBackup({ config, place: openBackupTarget(config.to), ...of })
  })

/** Lists the stored backups, newest first. */
export const backupsList: StoreCommand = (deps) =>
  reported(deps, async () => {
    const place = openBackupTarget(readConfig(deps).to)
    const names = inOrder(await place.list()).toReversed()
    return {
      backups: names.map((name) => ({ madeAtMs: backupTimeMs(name), backup: place.shown(name) })),
    }
  })

/** Creates the key that decrypts backups. */
export const backupsKey: StoreCommand = (deps, args) =>
  reported(deps, async () => {
    const file = args.get('FILE') ?? ''
    const { text, recipient } = await newBackupKey()
    deps.world.disk.writeSecret(file, text, 'new')
    return {
      key: file,
      recipient,
      next: 'Put the recipient into the file of PREPD_BACKUP. Keep the key away from this machine, in two places: only this key opens the backups.',
    }
  })

/** Restores a backup into a scratch folder with the operator's own key, and compares it with its manifest. */
export const backupsDrill: StoreCommand = (deps, args) =>
  reported(deps, async () => {
    const { settings, world } = deps
    const { name, ...opened } = await openedBackup(deps, args, 'latest')
    const { dataDir } = settings
    const nowMs = world.clock.nowMs()
    const { parts, madeAtMs } = await drillBackup({ ...opened, dataDir, nowMs })
    const rows = parts.flatMap((part) => Object.values(part.rows ?? {}))
    return {
      backup: name,
      madeAt: new Date(madeAtMs).toISOString(),
      files: parts.length,
      rows: rows.reduce((sum, count) => sum + count, 0),
      drill: 'restored into a scratch folder, every file and every table as in the manifest',
    }
  })

/** Restores an encrypted backup, given by file, address or `latest`, into the settings' data directory. */
export async function restoreEncrypted(deps: CommandEnvironment, args: CommandArguments) {
  const { settings, world } = deps
  const { name, ...opened } = await openedBackup(deps, args, args.get('FILE') ?? '')
  const nowMs = world.clock.nowMs()
  const { manifest, ...facts } = await restoreBackup({
    ...opened,
    dataDir: settings.dataDir,
    nowMs,
  })
  const [from, madeAt] = [name, new Date(manifest.madeAtMs).toISOString()]
  return { ...facts, from, madeAt, files: manifest.parts.map((part) => part.name).join(' ') }
}

/** The bytes of a backup, its name, and the key that decrypts it. */
async function openedBackup(deps: CommandEnvironment, args: CommandArguments, wanted: string) {
  const identity = readIdentity(deps, args)
  if (deps.files.stat(wanted)) return { name: wanted, identity, bytes: Bun.file(wanted).stream() }
  const place = openBackupTarget(readConfig(deps).to)
  const name = await findBackup(place, wanted)
  return { name: place.shown(name), identity, bytes: await place.read(name) }
}

function readIdentity({ files }: CommandEnvironment, args: CommandArguments): string {
  const { flag } = BACKUP_FLAGS.identity
  const path = args.get(flag)
  if (path === undefined)
    throw new Error(`${flag} must name the file of the key that opens backups`)
  const identity = backupKeyIn(readTextFile(files, path) ?? '')
  if (identity === null) throw new Error(`${flag} names a file without a key: ${printable(path)}`)
  return identity
}

function readConfig({ settings, files }: CommandEnvironment): BackupConfig {
  return readBackupConfig(settingText(files, 'PREPD_BACKUP', settings.backup))
}
