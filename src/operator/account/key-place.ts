import { IN_KEYCHAIN } from '../../contract/agent-limits.ts'
import { fromHex, toHex } from '../../core/hex.ts'
import { type Files, textOf } from '../../core/settings/files.ts'
import { UsageError } from '../../core/settings/usage-error.ts'
import type { CommandArguments, CommandDeps } from '../command/command.ts'
import { ACCOUNT_FLAGS } from '../command/flags.ts'
import type { Opened } from './open.ts'

type Wallet = Opened['wallet']

/** Where the secrets of an account are kept, and how others find them there. */
export type KeyPlace = {
  readonly keep: (account: Pick<Opened, 'accountId' | 'secret' | 'wallet'>) => Promise<void>
  /** The variable by which an agent over stdio finds the trading key. */
  readonly variable: (secret: Uint8Array) => readonly [name: string, value: string]
  /** The key between double quotes of a shell; null where a shell does not get it. */
  readonly inShell: (secret: Uint8Array) => string | null
  /** The secret of the throw-away wallet, or where that is. */
  readonly wallet: (wallet: Wallet, accountId: string) => object
  /** The same for people: the end of a sentence. */
  readonly walletLine: (wallet: Wallet, accountId: string) => string
  /** Whether secrets are printed. */
  readonly isShown: boolean
}

/** The place that a command line names. Throws UsageError for a file that is there already, and without a keychain. */
export async function keyPlaceOf(deps: CommandDeps, args: CommandArguments): Promise<KeyPlace> {
  assertOneFlag(args)
  const out = args.get(ACCOUNT_FLAGS.out.flag)
  if (args.has(ACCOUNT_FLAGS.keychain.flag)) {
    await assertKeychain(deps)
    return keychainPlace(deps)
  }
  if (out === undefined) return SHOWN
  assertNew(deps.files, out)
  return filePlace(deps, out)
}

const SHOWN: KeyPlace = {
  keep: async () => undefined,
  variable: (secret) => ['SERVICE_TRADING_KEY', toHex(secret)],
  inShell: toHex,
  wallet: ({ secret }) => ({ secret: toHex(secret) }),
  walletLine: ({ secret }) => `secret ${toHex(secret)}`,
  isShown: true,
}

/** A file of the trading key, and one beside it for the wallet. */
export function filePlace({ world: { disk } }: Pick<CommandDeps, 'world'>, out: string): KeyPlace {
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

/** The system's keychain: the key under the account's id, the wallet's secret under that and the word wallet. */
export function keychainPlace({ world: { keychain } }: Pick<CommandDeps, 'world'>): KeyPlace {
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

/** A name that is written and removed again, before an account is opened whose key could not be kept. */
const PROBE = 'probe'

/** Throws UsageError where the keychain does not keep what it is given. */
export async function assertKeychain({ world: { keychain } }: CommandDeps): Promise<void> {
  await keychain.put(PROBE, PROBE)
  const kept = await keychain.find(PROBE)
  await keychain.remove(PROBE)
  if (kept !== PROBE)
    throw new UsageError('the keychain of this system does not keep what it is given')
}

/** Throws UsageError where a command line names two places for a key. */
export function assertOneFlag(args: CommandArguments): void {
  const { keychain, out } = ACCOUNT_FLAGS
  if (args.has(keychain.flag) && args.has(out.flag))
    throw new UsageError(`${keychain.flag} and ${out.flag} exclude each other`)
}

/** The file that a command line names for the trading key. Throws UsageError when it names none. */
export function needOut(args: CommandArguments): string {
  const out = args.get(ACCOUNT_FLAGS.out.flag)
  if (out !== undefined) return out
  throw new UsageError(`${ACCOUNT_FLAGS.out.flag} must name the file of the trading key`)
}

/** Throws UsageError when a file that is about to be written is there already. */
export function assertNew(files: Files, out: string): void {
  if (files.stat(out) === null) return
  throw new UsageError(`${ACCOUNT_FLAGS.out.flag} names a file that is there already: ${out}`)
}

/** The trading key that a file holds. Throws UsageError when it holds none. */
export function readSecret(files: Files, out: string): Uint8Array {
  const secret = fromHex((textOf(files, out) ?? '').trim())
  if (secret?.length === SECRET_BYTES) return secret
  throw new UsageError(`${ACCOUNT_FLAGS.out.flag} names a file without a trading key: ${out}`)
}

const SECRET_BYTES = 32
