import type { SettingName } from '../contract/settings.ts'
import { systemErrorCode } from '../core/loop/guarded.ts'
import { settingVariable } from '../core/settings/sources.ts'
import { printable, UsageError } from '../core/settings/usage-error.ts'

/** The reason why the program does not start: the setting, its value, the fault and the remedy. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/**
 * Opens the resource of a setting. Converts every error to StartError. `value` is the setting's text and must not be a
 * secret.
 */
export async function starting<T>(
  setting: SettingName,
  value: string,
  open: () => T | Promise<T>,
): Promise<T> {
  try {
    return await open()
  } catch (error) {
    throw startError(setting, value, error)
  }
}

/** The error of opening a setting's resource. `value` is the setting's text and must not be a secret. */
export function startError(setting: SettingName, value: string, error: unknown): StartError {
  if (error instanceof StartError) return error
  // Adds only the remedy, because this error already names the file and the setting.
  if (isStoresOwn(error))
    return new StartError(`${error.message} ${storeRemedy(error.cause)}`, { cause: error })
  const subject = `${settingVariable(setting)} ${printable(value)}`
  const lines = reasons(error).map((reason) => `${subject}: ${reason}`)
  return new StartError(lines.join('\n'), { cause: error })
}

/** The sentence for an error of the system, by its code. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'is taken: stop the process that listens there, or choose another port (0 is a free one)',
  EADDRNOTAVAIL: 'is no address of this machine: choose one that is, such as 127.0.0.1 or 0.0.0.0',
  EACCES:
    'is not allowed to this user: change its owner or mode, or for a port below 1024 choose a higher one',
  EPERM:
    'is not allowed to this user: change its owner or mode, or for a port below 1024 choose a higher one',
  EEXIST: 'is a file where a directory has to be: name another path',
  ENOTDIR: 'is below a file where a directory has to be: name another path',
  EISDIR: 'is a directory where a file has to be: name a file',
  ENOENT: 'is not there, or cannot be made: check the path',
  NoLiveMarkets:
    'names no market that can be traded: the first start reads the markets from it, so check the address and the network',
  EROFS: 'is on a disk that is read-only: name another path',
  ENOSPC: 'is on a disk that is full: make room',
  PoolerError:
    'is behind a pooler such as PgBouncer, which passes on no settings of a connection: name PostgreSQL itself',
  StoreLockedError: 'is in use by another prepd: stop it, or name another directory',
  StoreNewerError: 'was written by a newer prepd: start that one, or restore a backup from before',
}

function reasons(error: unknown): readonly string[] {
  if (error instanceof UsageError) return error.lines
  if (!(error instanceof Error)) return ['cannot be opened']
  const known = [systemErrorCode(error), systemErrorCode(error.cause), error.name].find((name) =>
    Object.hasOwn(REASONS, name),
  )
  return [(known && REASONS[known]) ?? `cannot be opened: ${printable(error.message)}`]
}

/** The remedy for a store that cannot be used. */
function storeRemedy(cause: unknown): string {
  if (/^SQLITE_(?:NOTADB|CORRUPT)/.test(systemErrorCode(cause)))
    return 'Restore a backup, or move it away.'
  return systemErrorCode(cause) === 'SQLITE_FULL'
    ? 'Make room on the disk.'
    : 'Change its owner or mode, or name another directory.'
}

/**
 * Whether an error already has a message of the store about its file. This file words the faults of the store's folder.
 */
function isStoresOwn(error: unknown): error is Error {
  return (
    error instanceof Error &&
    error.name === 'StoreUnusableError' &&
    !Object.hasOwn(REASONS, systemErrorCode(error.cause))
  )
}
