import { fromHex } from '../../core/hex.ts'
import { textOf } from '../../settings/files.ts'
import { UsageError } from '../../settings/usage-error.ts'
import type { CommandArguments, CommandDeps } from '../command/command.ts'
import { ACCOUNT_FLAGS } from '../command/flags.ts'

type Files = CommandDeps['files']

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
