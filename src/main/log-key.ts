import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LOGGING } from '../contract/operator/process.ts'
import { accountTag, logKeyName } from '../core/crypto/account-tag.ts'
import { fromHex, toHex } from '../core/hex.ts'
import { codeOf, expected } from '../core/loop/guarded.ts'
import type { World } from '../core/ports.ts'
import type { Settings } from '../core/settings/settings.ts'
import { createUnknownWrites } from '../operator/notify/unknown-writes.ts'

export type AccountTags = (accountId: string) => string

/**
 * Hashes of accounts for access lines, by a key that the data directory keeps where there are such lines; and the writes
 * with an unknown outcome, whose accounts are named so.
 */
export function namedAccounts({ log, dataDir }: Settings, world: World, path: string) {
  const isKept = path !== ':memory:' && log.requestsPerSecond > 0
  const key = isKept ? openLogKey(dataDir, world) : world.random.bytes(KEY_BYTES)
  if (isKept) world.log.info('log_key', { name: logKeyName(key) })
  const tagOf: AccountTags = (accountId) => accountTag(key, accountId)
  const unknownWrites = createUnknownWrites(world.clock, tagOf)
  // Without access lines no line of the log has the account's tag.
  const noteUnknown = log.requestsPerSecond > 0 ? unknownWrites.note : () => undefined
  return { tagOf, noteUnknown, unknownWrites }
}

/**
 * The key of the account hashes in access lines: that of the data directory, made by the first start. Where nothing can
 * be kept there it is another one at each start, and a log line says so.
 */
function openLogKey(dataDir: string, { random, log }: Pick<World, 'random' | 'log'>) {
  const path = join(dataDir, LOGGING.keyFile)
  const fresh = random.bytes(KEY_BYTES)
  try {
    return readKey(path) ?? keep(path, fresh)
  } catch (error) {
    expected('process', error, 'system', NoKeyError)
    log.warn('log_key_not_kept', { path })
    return fresh
  }
}

const KEY_BYTES = 32

/** The file holds something else than a key. */
class NoKeyError extends Error {}

function keep(path: string, key: Uint8Array): Uint8Array {
  writeFileSync(path, `${toHex(key)}\n`, { mode: 0o600, flag: 'wx' })
  return key
}

/** Null where there is no file. Throws when there is one that holds no key. */
function readKey(path: string): Uint8Array | null {
  const text = textOf(path)
  if (text === null) return null
  const key = fromHex(text.trim())
  if (key?.length !== KEY_BYTES) throw new NoKeyError()
  return key
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}
