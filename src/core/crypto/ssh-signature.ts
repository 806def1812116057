import { concatBytes, utf8 } from '../bytes.ts'
import { nodeCrypto } from './signing.ts'
import { ed25519KeyObject } from './verifier.ts'

/** A signature of OpenSSH (`ssh-keygen -Y sign`, PROTOCOL.sshsig) by an Ed25519 key. */
export type SshSignature = {
  /** The base64 text as in a line of `allowed_signers`: `AAAAC3NzaC1lZDI1NTE5…`. */
  readonly publicKey: string
  readonly namespace: string
  readonly isOf: (message: Uint8Array) => boolean
}

const MAGIC = 'SSHSIG'
const VERSION = 1
const KEY_TYPE = 'ssh-ed25519'
const KEY_BYTES = 32
const SIGNATURE_BYTES = 64
const ARMOR =
  /^-----BEGIN SSH SIGNATURE-----\s([A-Za-z0-9+/=\s]{1,4096})-----END SSH SIGNATURE-----\s*$/

/** Parses the text of a signature file; null for anything except an Ed25519 signature with SHA-512 or SHA-256. */
export function parseSshSignature(text: string): SshSignature | null {
  const [, armored] = ARMOR.exec(text) ?? []
  if (armored === undefined) return null
  const fields = signatureFields(new Uint8Array(Buffer.from(armored, 'base64')))
  if (!fields) return null
  const [keyBlob, namespace, reserved, hash, signatureBlob] = fields
  const key = rawValue(keyBlob, KEY_BYTES)
  const signature = rawValue(signatureBlob, SIGNATURE_BYTES)
  const algorithm = Buffer.from(hash).toString('latin1')
  if (!key || !signature || (algorithm !== 'sha512' && algorithm !== 'sha256')) return null
  return {
    publicKey: Buffer.from(keyBlob).toString('base64'),
    namespace: Buffer.from(namespace).toString('utf8'),
    isOf: (message) => {
      const digest = nodeCrypto().createHash(algorithm).update(message).digest()
      const signed = [namespace, reserved, hash, digest].map(lengthPrefixed)
      const bytes = concatBytes([utf8(MAGIC), ...signed])
      return nodeCrypto().verify(null, bytes, ed25519KeyObject(key), signature)
    },
  }
}

type Fields = readonly [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array]

/** The fields key, namespace, reserved, hash algorithm and signature; null if the bytes do not have exactly this layout. */
function signatureFields(bytes: Uint8Array): Fields | null {
  const view = Buffer.from(bytes)
  const headBytes = MAGIC.length + 4
  if (view.length < headBytes || view.toString('latin1', 0, MAGIC.length) !== MAGIC) return null
  if (view.readUInt32BE(MAGIC.length) !== VERSION) return null
  const [key, namespace, reserved, hash, signature, ...more] = prefixedStrings(
    view.subarray(headBytes),
  )
  if (!key || !namespace || !reserved || !hash || !signature || more.length > 0) return null
  return [key, namespace, reserved, hash, signature]
}

/** The value in a blob of type name and value; null for another type or length. */
function rawValue(blob: Uint8Array, lengthBytes: number): Uint8Array | null {
  const [type, value, ...more] = prefixedStrings(Buffer.from(blob))
  const isEd25519 = type !== undefined && Buffer.from(type).toString('latin1') === KEY_TYPE
  return isEd25519 && value?.length === lengthBytes && more.length === 0 ? value : null
}

/** The length-prefixed strings; empty if the bytes end within a string. */
function prefixedStrings(bytes: Buffer): readonly Uint8Array[] {
  const strings: Uint8Array[] = []
  let at = 0
  while (at < bytes.length) {
    if (at + 4 > bytes.length) return []
    const end = at + 4 + bytes.readUInt32BE(at)
    if (end > bytes.length) return []
    strings.push(bytes.subarray(at + 4, end))
    at = end
  }
  return strings
}

function lengthPrefixed(bytes: Uint8Array): Uint8Array {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return concatBytes([length, bytes])
}
