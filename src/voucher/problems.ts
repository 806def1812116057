import { expected } from '../core/loop/guarded.ts'
import { type Files, textOf, UNREADABLE } from '../settings/files.ts'
import type { Settings } from '../settings/settings.ts'
import { printable, UsageError } from '../settings/usage-error.ts'
import { readVoucherConfig } from './config-file.ts'
import { voucherSigner } from './signers.ts'

/** What is wrong with the voucher settings, one line each; for `config check` and for the start. */
export function voucherProblems({ voucher }: Pick<Settings, 'voucher'>, files: Files): string[] {
  return [...fileProblems(voucher.path, files), ...keyProblems(voucher.keys)]
}

function fileProblems(path: string | null, files: Files): string[] {
  if (path === null) return []
  const text = textOf(files, path)
  if (text === null) return [`PREPD_VOUCHER ${UNREADABLE}: ${printable(path)}`]
  try {
    readVoucherConfig(text)
    return []
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return error.lines.map((line) => `PREPD_VOUCHER: ${printable(path)}: ${line}`)
  }
}

function keyProblems(keys: readonly Uint8Array[]): string[] {
  try {
    keys.forEach(voucherSigner)
    return []
  } catch (error) {
    expected('process', error, Error)
    return ['PREPD_VOUCHER_KEY is no secp256k1 secret']
  }
}
