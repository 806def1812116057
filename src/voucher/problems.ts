import { expected } from '../core/loop/guarded.ts'
import { type Files, textOf, UNREADABLE } from '../settings/files.ts'
import type { Settings } from '../settings/settings.ts'
import { printable, UsageError } from '../settings/usage-error.ts'
import type { RemoteKey } from './config.ts'
import { readVoucherConfig } from './config-file.ts'
import { voucherSigner } from './signers.ts'

/** The problems of the voucher settings, one line each; for `config check` and for the start. */
export function voucherProblems({ voucher }: Pick<Settings, 'voucher'>, files: Files): string[] {
  return [...fileProblems(voucher.path, files), ...keyProblems(voucher.keys)]
}

function fileProblems(path: string | null, files: Files): string[] {
  if (path === null) return []
  const text = textOf(files, path)
  if (text === null) return [`PREPD_VOUCHER ${UNREADABLE}: ${printable(path)}`]
  try {
    return readVoucherConfig(text).signers.flatMap((key) => certificateProblems(key, files))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return error.lines.map((line) => `PREPD_VOUCHER: ${printable(path)}: ${line}`)
  }
}

/** The problems of the files for connections to a remote signer, one line each. */
function certificateProblems({ files: own }: RemoteKey, files: Files): string[] {
  if (!own) return []
  const { certificate, key, ca } = own
  const paths = [certificate, key, ...(ca === null ? [] : [ca])]
  const unreadable = paths.filter((path) => textOf(files, path) === null)
  // Only this process can read files that systemd passes, whatever their mode is.
  const isPassed = key.startsWith('/run/credentials/')
  const isOpen = !isPassed && ((files.stat(key)?.mode ?? 0) & OTHERS_MAY_USE) !== 0
  return [
    ...unreadable.map((path) => `PREPD_VOUCHER: signers ${UNREADABLE}: ${printable(path)}`),
    ...(isOpen ? [`PREPD_VOUCHER: others may use ${printable(key)}: chmod 600 it`] : []),
  ]
}

const OTHERS_MAY_USE = 0o077

/** The addresses that sign vouchers, the one in use first: keys on other machines, then those of this process. */
export function signerAddresses(
  { voucher: { path, keys } }: Pick<Settings, 'voucher'>,
  files: Files,
): readonly string[] {
  const text = path === null ? null : textOf(files, path)
  const remote = text === null ? [] : readVoucherConfig(text).signers
  return [...remote, ...keys.map(voucherSigner)].map(({ address }) => address)
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
