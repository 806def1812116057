import { reportUnexpected } from '../../core/loop/guarded.ts'
import { type Files, fileProblems, readTextFile, UNREADABLE } from '../../core/settings/files.ts'
import type { Settings } from '../../core/settings/settings.ts'
import { printable } from '../../core/settings/usage-error.ts'
import type { RemoteKey } from './config.ts'
import { readVoucherConfig } from './config-file.ts'
import { voucherSigner } from './signers.ts'

/** The problems of the voucher settings, one line each, for `config check` and the start. */
export function voucherProblems({ voucher }: Pick<Settings, 'voucher'>, files: Files): string[] {
  const { path, keys } = voucher
  const problems =
    path === null ? [] : fileProblems(files, 'PREPD_VOUCHER', path, readVoucherConfig)
  const signers = problems.length > 0 ? [] : remoteKeys(path, files)
  return [
    ...problems,
    ...signers.flatMap((key) => certificateProblems(key, files)),
    ...keyProblems(keys),
  ]
}

/** The remote keys in a valid configuration file. */
function remoteKeys(path: string | null, files: Files): readonly RemoteKey[] {
  const text = path === null ? null : readTextFile(files, path)
  return text === null ? [] : readVoucherConfig(text).signers
}

/** The problems of the files for connections to a remote signer, one line each. */
function certificateProblems({ files: own }: RemoteKey, files: Files): string[] {
  if (!own) return []
  const { certificate, key, ca } = own
  const paths = [certificate, key, ...(ca === null ? [] : [ca])]
  const unreadable = paths.filter((path) => readTextFile(files, path) === null)
  // Credential files of systemd are only readable by this process, whatever their mode is.
  const isPassed = key.startsWith('/run/credentials/')
  const isOpen = !isPassed && ((files.stat(key)?.mode ?? 0) & OTHERS_MAY_USE) !== 0
  return [
    ...unreadable.map((path) => `PREPD_VOUCHER: signers ${UNREADABLE}: ${printable(path)}`),
    ...(isOpen ? [`PREPD_VOUCHER: others may use ${printable(key)}: chmod 600 it`] : []),
  ]
}

const OTHERS_MAY_USE = 0o077

/** The addresses of the signing keys, in order of preference: remote keys, then the keys of this process. */
export function signerAddresses(
  { voucher: { path, keys } }: Pick<Settings, 'voucher'>,
  files: Files,
): readonly string[] {
  return [...remoteKeys(path, files), ...keys.map(voucherSigner)].map(({ address }) => address)
}

function keyProblems(keys: readonly Uint8Array[]): string[] {
  try {
    keys.forEach(voucherSigner)
    return []
  } catch (error) {
    reportUnexpected('process', error, Error)
    return ['PREPD_VOUCHER_KEY is no secp256k1 secret']
  }
}
