import signersText from '../../config/release-signers' with { type: 'text' }
import { RELEASE } from '../contract/operator/release.ts'
import { parseSshSignature } from '../core/crypto/ssh-signature.ts'
import { fileSha256Hex } from '../core/digest.ts'
import { readTextFile } from '../core/settings/files.ts'
import { printable } from '../core/settings/usage-error.ts'
import type { CommandArguments, CommandEnvironment } from './command/command.ts'
import { VERIFY_FLAGS } from './command/flags.ts'
import { reported } from './command/store-command.ts'

/**
 * Verifies a file of a release against the adjacent SHA256SUMS, and the signature of SHA256SUMS with the built-in
 * release keys or the keys of `--signers`. Returns the exit code: 0, or 1 for any mismatch.
 */
export function verifyCommand(deps: CommandEnvironment, args: CommandArguments): Promise<0 | 1> {
  return reported(deps, async () => {
    const path = args.get('FILE') ?? ''
    const cut = path.lastIndexOf('/') + 1
    const [folder, name] = [path.slice(0, cut), path.slice(cut)]
    const sums = needText(deps, `${folder}${RELEASE.sums}`)
    const signedBy = verifySigner(deps, args, sums, needText(deps, `${folder}${RELEASE.signature}`))
    const sha256 = await readChecksum(deps, path)
    const wanted = sumIn(sums, name)
    if (wanted === null) throw new Error(`${RELEASE.sums} has no line for ${name}`)
    if (wanted !== sha256)
      throw new Error(`${name} is not the file that was released: its SHA-256 is ${sha256}`)
    return { file: name, sha256, signedBy }
  })
}

/** The name of the key that signed the checksums. Throws an Error for an unknown key. */
function verifySigner(
  deps: CommandEnvironment,
  args: CommandArguments,
  sums: string,
  armored: string,
): string {
  const signature = parseSshSignature(armored)
  if (signature?.namespace !== RELEASE.namespace)
    throw new Error(`${RELEASE.signature} is no signature of a release`)
  const { publicKey } = signature
  const signers = signersIn(allowedText(deps, args))
  if (signers.size === 0)
    throw new Error('this executable knows no release key: name a file of them with --signers')
  const name = signers.get(publicKey)
  if (name === undefined)
    throw new Error(`${RELEASE.sums} is signed by a key that is not among the release keys`)
  if (!signature.isOf(new TextEncoder().encode(sums)))
    throw new Error(`${RELEASE.sums} is not what was signed`)
  return name
}

function allowedText(deps: CommandEnvironment, args: CommandArguments): string {
  const path = args.get(VERIFY_FLAGS.signers.flag)
  return path === undefined ? signersText : needText(deps, path)
}

/** Signer names by public key, from lines in the format of OpenSSH's `allowed_signers`: name, options, type, key. */
function signersIn(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').map((line) => LINE.exec(line))
  return new Map(lines.flatMap((found) => (found ? [[found[2] ?? '', found[1] ?? '']] : [])))
}

const LINE = /^(\S+) (?:\S+ )?ssh-ed25519 (\S+)(?: .*)?$/

function needText({ files }: CommandEnvironment, path: string): string {
  const text = readTextFile(files, path, RELEASE.sumsMaxBytes)
  if (text === null) throw new Error(`${printable(path)} is missing, or cannot be read`)
  return text
}

/** The checksum of a file in the output of sha256sum; null if the file is not listed. */
function sumIn(sums: string, name: string): string | null {
  const lines = sums.split('\n').map((line) => /^([0-9a-f]{64}) [ *](.+)$/.exec(line))
  return lines.find((found) => found?.[2] === name)?.[1] ?? null
}

async function readChecksum({ files }: CommandEnvironment, path: string): Promise<string> {
  if (files.stat(path)?.directory !== false) throw new Error(`there is no file ${printable(path)}`)
  return fileSha256Hex(path)
}
