import { IN_KEYCHAIN } from '../../contract/agent-limits.ts'
import { fromHex, toHex } from '../../core/hex.ts'
import { type Files, readTextFile } from '../../core/settings/files.ts'
import { UsageError } from '../../core/settings/usage-error.ts'
import type { CommandArguments, CommandEnvironment } from '../command/command.ts'
import { ACCOUNT_FLAGS } from '../command/flags.ts'
import type { Opened } from './open.ts'

type Wallet = Opened['wallet']

/** The storage of an account's secrets, and texts that refer to it. */
export type KeyStorage = {
  readonly keep: (account: Pick<Opened, 'accountId' | 'secret' | 'wallet'>) => Promise<void>
  /** The environment variable that gives the trading key to an agent over stdio. */
  readonly variable: (secret: Uint8Array) => readonly [name: string, value: string]
  /** A shell expression that yields the key, for use in double quotes; null if a shell cannot read the key. */
  readonly inShell: (secret: Uint8Array) => string | null
  /** The secret of the throw-away wallet, or the location of the secret. */
  readonly wallet: (wallet: Wallet, accountId: string) => object
  /** The location of the wallet's secret, as the end of a sentence. */
  readonly walletLine: (wallet: Wallet, accountId: string) => string
  /** Whether the command prints the secrets, because no storage was named. */
  readonly isShown: boolean
}

/** The key storage that a command line names. Throws UsageError if the file exists or the keychain does not work. */
export async function chooseKeyStorage(
  deps: CommandEnvironment,
  args: CommandArguments,
): Promise<KeyStorage> {
  assertOneFlag(args)
  const out = args.get(ACCOUNT_FLAGS.out.flag)
  if (args.has(ACCOUNT_FLAGS.keychain.flag)) {
    await assertKeychain(deps)
    return keychainStorage(deps)
  }
  if (out === undefined) return SHOWN_KEY_STORAGE
  assertNew(deps.files, out)
  return fileStorage(deps, out)
}

const SHOWN_KEY_STORAGE: KeyStorage = {
  keep: async () => undefined,
  variable: (secret) => ['SERVICE_TRADING_KEY', toHex(secret)],
  inShell: toHex,
  wallet: ({ secret }) => ({ secret: toHex(secret) }),
  walletLine: ({ secret }) => `secret ${toHex(secret)}`,
  isShown: true,
}

/** A file for the trading key, with a second file for the wallet's secret. */
export function fileStorage(
  { world: { disk } }: Pick<CommandEnvironment, 'world'>,
  out: string,
): KeyStorage {
  const secretFile = `${out}.wallet`
  return {
    keep: async ({ secret, wallet }) => {
      disk.writeSecret(out, `${toHex(secret)}\n`, 'new')
      disk.writeSecret(secretFile, `${toHex(wallet.secret)}\n`, 'new')
    },
    variable: () => ['SERVICE_TRADING_KEY_FILE', disk.absolute(out)],
    inShell: () => `$(cat '${disk.absolute(out)}')`,
    wallet: () => ({ secretFile: disk.absolute(secretFile) }),
    walletLine: () => `secret in ${disk.absolute(secretFile)}`,
    isShown: false,
  }
}

/** The system's keychain: the key under the account's id, the wallet's secret under the account's id plus ` wallet`. */
export function keychainStorage({
  world: { keychain },
}: Pick<CommandEnvironment, 'world'>): KeyStorage {
  const walletName = (accountId: string) => `${accountId} wallet`
  return {
    keep: async ({ accountId, secret, wallet }) => {
      await keychain.put(accountId, toHex(secret))
      await keychain.put(walletName(accountId), toHex(wallet.secret))
    },
    variable: () => ['SERVICE_TRADING_KEY', IN_KEYCHAIN],
    inShell: () => null,
    wallet: (_, accountId) => ({ keychain: walletName(accountId) }),
    walletLine: (_, accountId) => `secret in the keychain as ${walletName(accountId)}`,
    isShown: false,
  }
}

/**
 * Name of a test entry, which is written and read before an account is opened. A keychain that does not work would lose
 * the account's key.
 */
const PROBE_ENTRY_NAME = 'probe'

/** Throws UsageError if the keychain does not return a stored entry. */
export async function assertKeychain({ world: { keychain } }: CommandEnvironment): Promise<void> {
  await keychain.put(PROBE_ENTRY_NAME, PROBE_ENTRY_NAME)
  const kept = await keychain.find(PROBE_ENTRY_NAME)
  await keychain.remove(PROBE_ENTRY_NAME)
  if (kept !== PROBE_ENTRY_NAME)
    throw new UsageError('the keychain of this system does not keep what it is given')
}

/** Throws UsageError if a command line names two locations for a key. */
export function assertOneFlag(args: CommandArguments): void {
  const { keychain, out } = ACCOUNT_FLAGS
  if (args.has(keychain.flag) && args.has(out.flag))
    throw new UsageError(`${keychain.flag} and ${out.flag} exclude each other`)
}

/** The path of the trading key's file, from the command line. Throws UsageError without the flag. */
export function requireKeyFile(args: CommandArguments): string {
  const out = args.get(ACCOUNT_FLAGS.out.flag)
  if (out !== undefined) return out
  throw new UsageError(`${ACCOUNT_FLAGS.out.flag} must name the file of the trading key`)
}

/** Throws UsageError if the file that is to be written exists. */
export function assertNew(files: Files, out: string): void {
  if (files.stat(out) === null) return
  throw new UsageError(`${ACCOUNT_FLAGS.out.flag} names a file that is there already: ${out}`)
}

/** Reads the trading key from a file. Throws UsageError if the file has no key. */
export function readSecret(files: Files, out: string): Uint8Array {
  const secret = fromHex((readTextFile(files, out) ?? '').trim())
  if (secret?.length === SECRET_BYTES) return secret
  throw new UsageError(`${ACCOUNT_FLAGS.out.flag} names a file without a trading key: ${out}`)
}

const SECRET_BYTES = 32
