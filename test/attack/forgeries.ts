import { fromBase58, toBase58 } from '../../src/core/crypto/base58.ts'
import { newCaller } from '../caller.ts'

/** The members of an envelope that say who signed what. */
type Auth = {
  readonly accountId: string
  readonly key: string
  readonly signature: string
  readonly timestamp: string
}

type Forgery = (auth: Auth) => Partial<Auth>

/** The order of the group (RFC 8032, 5.1). */
const ORDER = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n

function signatureOf({ signature }: Auth): Buffer {
  return Buffer.from(signature, 'base64url')
}

function withSignature(auth: Auth, change: (bytes: Buffer) => Buffer): Partial<Auth> {
  return { signature: change(signatureOf(auth)).toString('base64url') }
}

function keyOf({ key }: Auth): Buffer {
  return Buffer.from(fromBase58(key.slice('ed25519:'.length)) ?? [])
}

function withKey(bytes: Uint8Array): Partial<Auth> {
  return { key: `ed25519:${toBase58(bytes)}` }
}

/** s + order: the same point, another spelling. */
function raised(bytes: Buffer): Buffer {
  const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + ORDER
  const half = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse()
  return Buffer.concat([bytes.subarray(0, 32), half])
}

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}

const IDENTITY = Uint8Array.from([1, ...Array<number>(31).fill(0)])
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** What somebody who has one good signature may make of it, by name. */
export const FORGERIES: Readonly<Record<string, Forgery>> = {
  padded: (auth) => ({ signature: `${auth.signature}==` }),
  standardBase64: (auth) => ({
    signature: `${signatureOf(auth).toString('base64').replace(/=+$/, '').slice(0, 85)}/`,
  }),
  hex: (auth) => ({ signature: signatureOf(auth).toString('hex') }),
  upperCase: (auth) => ({ signature: auth.signature.toUpperCase() }),
  truncated: (auth) => ({ signature: auth.signature.slice(0, 85) }),
  oneCharacterMore: (auth) => ({ signature: `${auth.signature}A` }),
  spaced: (auth) => ({ signature: ` ${auth.signature}` }),
  newline: (auth) => ({ signature: `${auth.signature}\n` }),
  spareBits: ({ signature }) => ({
    signature:
      signature.slice(0, 85) + (ALPHABET[ALPHABET.indexOf(signature[85] ?? 'A') ^ 1] ?? 'B'),
  }),
  raised: (auth) => withSignature(auth, raised),
  firstBitFlipped: (auth) => withSignature(auth, (bytes) => flipped(bytes, 0)),
  lastBitFlipped: (auth) => withSignature(auth, (bytes) => flipped(bytes, 63)),
  halvesSwapped: (auth) =>
    withSignature(auth, (bytes) => Buffer.concat([bytes.subarray(32), bytes.subarray(0, 32)])),
  zeros: (auth) => withSignature(auth, () => Buffer.alloc(64)),
  ones: (auth) => withSignature(auth, () => Buffer.alloc(64, 255)),
  identityKey: (auth) => ({
    ...withKey(IDENTITY),
    ...withSignature(auth, () => Buffer.concat([IDENTITY, Buffer.alloc(32)])),
  }),
  zeroKey: () => withKey(new Uint8Array(32)),
  onesKey: () => withKey(new Uint8Array(32).fill(255)),
  longKey: (auth) => withKey(Buffer.concat([keyOf(auth), Buffer.from([7])])),
  shortKey: (auth) => withKey(keyOf(auth).subarray(1)),
  signBitOfKey: (auth) => withKey(flipped(keyOf(auth), 31)),
  otherKey: () => ({ key: newCaller().key }),
  keyWithoutScheme: ({ key }) => ({ key: key.slice('ed25519:'.length) }),
  upperCaseScheme: ({ key }) => ({ key: key.replace('ed25519', 'ED25519') }),
  otherScheme: ({ key }) => ({ key: key.replace('ed25519', 'secp256k1') }),
  keyWithLeadingOne: ({ key }) => ({ key: key.replace(':', ':1') }),
  keyWithSpace: ({ key }) => ({ key: `${key} ` }),
  keyInHex: (auth) => ({ key: `ed25519:${keyOf(auth).toString('hex')}` }),
  keyInBase64: (auth) => ({ key: `ed25519:${keyOf(auth).toString('base64')}` }),
  laterTimestamp: ({ timestamp }) => ({ timestamp: String(Number(timestamp) + 1) }),
  timestampWithZero: ({ timestamp }) => ({ timestamp: `0${timestamp}` }),
  timestampWithSpace: ({ timestamp }) => ({ timestamp: `${timestamp} ` }),
  timestampWithSign: ({ timestamp }) => ({ timestamp: `+${timestamp}` }),
  timestampInWideDigits: ({ timestamp }) => ({
    timestamp: timestamp.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
  }),
  timestampInSeconds: ({ timestamp }) => ({ timestamp: timestamp.slice(0, 10) }),
  timestampInHex: ({ timestamp }) => ({ timestamp: `0x${Number(timestamp).toString(16)}` }),
  timestampWithFraction: ({ timestamp }) => ({ timestamp: `${timestamp}.0` }),
  noAccountPrefix: ({ accountId }) => ({ accountId: accountId.slice(2) }),
  upperCasePrefix: ({ accountId }) => ({ accountId: accountId.replace('0x', '0X') }),
  longAccount: ({ accountId }) => ({ accountId: `${accountId}0` }),
  shortAccount: ({ accountId }) => ({ accountId: accountId.slice(0, -1) }),
  accountWithNewline: ({ accountId }) => ({ accountId: `${accountId}\n` }),
}
