import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LOGGING } from '../contract/operator/process.ts'
import { accountTag, logKeyName } from '../core/crypto/account-tag.ts'
import { fromHex, toHex } from '../core/hex.ts'
import { reportUnexpected, systemErrorCode } from '../core/loop/guarded.ts'
import type { World } from '../core/ports.ts'
import type { Settings } from '../core/settings/settings.ts'
import { createUnknownWrites } from '../operator/notify/judge.ts'

export type AccountTags = (accountId: string) => string

/**
 * Account tags (keyed hashes) for access lines, and the list of writes with an unknown outcome, which uses the tags. If
 * access lines are enabled, the key is kept in the data directory.
 */
export function namedAccounts({ log, dataDir }: Settings, world: World, path: string) {
  const isKept = path !== ':memory:' && log.requestsPerSecond > 0
  const key = isKept ? openLogKey(dataDir, world) : world.random.bytes(KEY_BYTES)
  if (isKept) world.log.info('log_key', { name: logKeyName(key) })
  const tagAccount: AccountTags = (accountId) => accountTag(key, accountId)
  const unknownWrites = createUnknownWrites(world.clock, tagAccount)
  // A tag is only useful with access lines, because the operator searches these lines for it.
  const noteUnknown = log.requestsPerSecond > 0 ? unknownWrites.note : () => undefined
  return { tagOf: tagAccount, noteUnknown, unknownWrites }
}

/**
 * The key of account tags. The first start creates it in the data directory. If it cannot be stored, each start uses a
 * new key and logs a warning.
 */
function openLogKey(dataDir: string, { random, log }: Pick<World, 'random' | 'log'>) {
  const path = join(dataDir, LOGGING.keyFile)
  const fresh = random.bytes(KEY_BYTES)
  try {
    return readKey(path) ?? keep(path, fresh)
  } catch (error) {
    reportUnexpected('process', error, 'system', NoKeyError)
    log.warn('log_key_not_kept', { path })
    return fresh
  }
}

const KEY_BYTES = 32

/** The file does not contain a key. */
class NoKeyError extends Error {}

function keep(path: string, key: Uint8Array): Uint8Array {
  writeFileSync(path, `${toHex(key)}\n`, { mode: 0o600, flag: 'wx' })
  return key
}

/** Reads the key in a file; null without the file. Throws NoKeyError if its content is not a key. */
function readKey(path: string): Uint8Array | null {
  const text = readIfPresent(path)
  if (text === null) return null
  const key = fromHex(text.trim())
  if (key?.length !== KEY_BYTES) throw new NoKeyError()
  return key
}

function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null
    throw error
  }
}
