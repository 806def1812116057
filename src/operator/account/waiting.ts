import { type Static, Type } from '@sinclair/typebox'
import { fromHex, toHex } from '../../core/hex.ts'
import { isObject, parsedJson } from '../../core/json.ts'
import { matchesSchema } from '../../core/parse-body.ts'
import { readTextFile } from '../../core/settings/files.ts'
import { UsageError } from '../../core/settings/usage-error.ts'
import type { CommandArguments, CommandEnvironment } from '../command/command.ts'
import { ACCOUNT_FLAGS } from '../command/flags.ts'
import {
  assertKeychain,
  assertNew,
  assertOneFlag,
  fileStorage,
  type KeyStorage,
  keychainStorage,
  readSecret,
  requireKeyFile,
} from './key-storage.ts'

/** A message that waits for a wallet's signature. It contains no secrets. */
const Pending = Type.Object({
  step: Type.Union([Type.Literal('register'), Type.Literal('trading-key')]),
  /** Lower-case wallet address. */
  wallet: Type.String(),
  url: Type.String(),
  digest: Type.String(),
  /** The message that is sent to the service with its signature. */
  message: Type.Record(Type.String(), Type.Unknown()),
})

export type Pending = Readonly<Static<typeof Pending>>

/** The storage of a trading key and its pending message until the owner's wallet has signed. */
export type Waiting = {
  /** Reads the message and the key. Throws UsageError if no message is pending. */
  readonly read: () => Promise<{ readonly pending: Pending; readonly secret: Uint8Array }>
  readonly begin: (pending: Pending, secret: Uint8Array) => Promise<void>
  readonly goOn: (pending: Pending, secret: Uint8Array) => Promise<void>
  /** Removes the message after the wallet has signed, and keeps the key. */
  readonly finish: (accountId: string, secret: Uint8Array) => Promise<KeyStorage>
  /** The flags that name this storage in the next command. */
  readonly flags: string
}

/** A new storage for the pending message, named by a command line. Throws UsageError if the storage already exists. */
export async function newWaiting(
  deps: CommandEnvironment,
  args: CommandArguments,
  wallet: string,
): Promise<Waiting> {
  if (!args.has(ACCOUNT_FLAGS.keychain.flag)) {
    const out = requireKeyFile(args)
    assertNew(deps.files, out)
    return inFile(deps, out)
  }
  assertOneFlag(args)
  await assertKeychain(deps)
  return inKeychain(deps, wallet)
}

/** The storage of the pending message that a command line names. Throws UsageError if the line names no storage. */
export function chooseWaiting(deps: CommandEnvironment, args: CommandArguments): Waiting {
  if (!args.has(ACCOUNT_FLAGS.keychain.flag)) return inFile(deps, requireKeyFile(args))
  assertOneFlag(args)
  const wallet = args.get(ACCOUNT_FLAGS.wallet.flag)?.toLowerCase()
  if (wallet !== undefined) return inKeychain(deps, wallet)
  throw new UsageError(`${ACCOUNT_FLAGS.keychain.flag} needs ${ACCOUNT_FLAGS.wallet.flag}`)
}

/** A file for the key, with a second file for the pending message. */
function inFile(deps: CommandEnvironment, out: string): Waiting {
  const { world, files } = deps
  const pendingFile = `${out}.pending`
  const goOn = async (pending: Pending) =>
    world.disk.writeSecret(pendingFile, `${JSON.stringify(pending)}\n`, 'replace')
  return {
    flags: `--out ${out}`,
    begin: async (pending, secret) => {
      world.disk.writeSecret(out, `${toHex(secret)}\n`, 'new')
      await goOn(pending)
    },
    goOn,
    read: async () => {
      const pending = pendingIn(readTextFile(files, pendingFile) ?? '')
      if (pending) return { pending, secret: readSecret(files, out) }
      throw new UsageError(
        `nothing waits for a signature beside ${out}: start with account create --wallet ADDRESS --out ${out}`,
      )
    },
    finish: async () => {
      world.disk.remove(pendingFile)
      return fileStorage(deps, out)
    },
  }
}

/** A keychain entry under the wallet's address. `finish` moves the key to the account's entry. */
function inKeychain(deps: CommandEnvironment, wallet: string): Waiting {
  const { keychain } = deps.world
  const name = `${wallet} waiting`
  const keep = (pending: Pending, secret: Uint8Array) =>
    keychain.put(name, JSON.stringify({ ...pending, secret: toHex(secret) }))
  return {
    flags: `--keychain --wallet ${wallet}`,
    begin: keep,
    goOn: keep,
    read: async () => {
      const text = (await keychain.find(name)) ?? ''
      const [pending, value] = [pendingIn(text), parsedJson(text)]
      const secret = fromHex(String(isObject(value) ? value['secret'] : ''))
      if (pending && secret) return { pending, secret }
      throw new UsageError(
        `nothing waits for a signature of ${wallet}: start with account create --wallet ${wallet} --keychain`,
      )
    },
    finish: async (accountId, secret) => {
      await keychain.put(accountId, toHex(secret))
      await keychain.remove(name)
      return keychainStorage(deps)
    },
  }
}

function pendingIn(text: string): Pending | null {
  const value = parsedJson(text)
  return matchesSchema(Pending, value) ? value : null
}
