import { concatBytes, utf8 } from '../bytes.ts'
import { fromHex, isAddress, isHash } from '../hex.ts'
import { keccak256 } from './keccak.ts'

/** The EIP-712 field types that structs in this code use. */
type FieldType = 'string' | 'uint256' | 'uint64' | 'uint8' | 'address' | 'bytes32'

export type Field = { readonly name: string; readonly type: FieldType }

/** An unsigned integer: a safe number, a bigint, or decimal text. */
type Uint = number | bigint | string

/** The accepted value of each type. */
export type FieldValues = {
  string: string
  uint256: Uint
  uint64: Uint
  uint8: Uint
  address: string
  bytes32: string
}

/** The values of a struct's fields. Other members are allowed and ignored. */
export type ValuesOf<Fields extends readonly Field[]> = {
  readonly [F in Fields[number] as F['name']]: FieldValues[F['type']]
}

/** A struct: its name, its fields in the order in which they are hashed, and their values. */
type Struct = {
  readonly name: string
  readonly fields: readonly Field[]
  /** Values by field. Other members are allowed and ignored. */
  readonly values: Readonly<Record<string, unknown>>
}

/** The fields of every EIP-712 domain in this code. */
const DOMAIN_FIELDS = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
] as const satisfies readonly Field[]

/** The values of a domain's fields. */
export type Domain = ValuesOf<typeof DOMAIN_FIELDS>

/**
 * The 32 bytes that a wallet signs for a struct (EIP-712: `keccak256(0x1901 ‖ domainSeparator ‖ hashStruct)`). Throws
 * RangeError, naming the field, for a value of the wrong type.
 */
export function structDigest(struct: Struct, domain: Domain): Uint8Array {
  return keccak256(structMessage(struct, domain))
}

/** The 66 bytes whose Keccak-256 is the digest of a struct. Throws RangeError like `structDigest`. */
export function structMessage(struct: Struct, domain: Domain): Uint8Array {
  const separator = hashStruct({ name: 'EIP712Domain', fields: DOMAIN_FIELDS, values: domain })
  return concatBytes([DIGEST_PREFIX, separator, hashStruct(struct)])
}

/**
 * The JSON document for `eth_signTypedData_v4`. It has only the signed fields. A bigint is written as decimal text,
 * other integers as given. Throws RangeError like `structDigest`.
 */
export function structDocument(struct: Struct, domain: Domain): string {
  // Called for its error: it throws if a value does not fit its type.
  structDigest(struct, domain)
  const { name, fields, values } = struct
  return JSON.stringify({
    types: { EIP712Domain: DOMAIN_FIELDS, [name]: fields },
    primaryType: name,
    domain: signedMembers(DOMAIN_FIELDS, domain),
    message: signedMembers(fields, values),
  })
}

function signedMembers(fields: readonly Field[], values: Struct['values']) {
  return Object.fromEntries(fields.map(({ name }) => [name, jsonValue(values[name])]))
}

function jsonValue(value: unknown) {
  return typeof value === 'bigint' ? value.toString() : value
}

/**
 * The concatenated 32-byte words of values, as Solidity's `abi.encode` for types of fixed length. Throws RangeError
 * like `structDigest`.
 */
export function encodeWords(fields: readonly Field[], values: Struct['values']): Uint8Array {
  return concatBytes(fields.map((field) => encodedWord(field, values)))
}

const DIGEST_PREFIX = Uint8Array.of(0x19, 0x01)

function hashStruct({ name, fields, values }: Struct): Uint8Array {
  const signature = fields.map((field) => `${field.type} ${field.name}`).join(',')
  const typeHash = keccak256(utf8(`${name}(${signature})`))
  return keccak256(concatBytes([typeHash, encodeWords(fields, values)]))
}

function encodedWord({ name, type }: Field, values: Struct['values']): Uint8Array {
  const word = WORDS[type](values[name])
  if (!word) throw new RangeError(`${name} is no ${type}`)
  return word
}

/** Encoders of each type to a 32-byte word; null for a value of the wrong type. */
const WORDS: Record<FieldType, (value: unknown) => Uint8Array | null> = {
  // A lone surrogate has no UTF-8 form, so the signed text would differ from the sent one.
  string: (value) =>
    typeof value === 'string' && value.isWellFormed() ? keccak256(utf8(value)) : null,
  uint256: (value) => uintWord(value, 256n),
  uint64: (value) => uintWord(value, 64n),
  uint8: (value) => uintWord(value, 8n),
  address: (value) =>
    typeof value === 'string' && isAddress(value)
      ? fromHex(value.slice(2).padStart(64, '0'))
      : null,
  bytes32: (value) => (typeof value === 'string' && isHash(value) ? fromHex(value) : null),
}

/** 2^256 has 78 digits. */
const DECIMAL = /^[0-9]{1,78}$/

function uintWord(value: unknown, bits: bigint): Uint8Array | null {
  const integer = toBigint(value)
  // The shift of a negative integer is -1, so this check also rejects negatives.
  if (integer === null || integer >> bits !== 0n) return null
  return fromHex(integer.toString(16).padStart(64, '0'))
}

function toBigint(value: unknown): bigint | null {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : null
  return typeof value === 'string' && DECIMAL.test(value) ? BigInt(value) : null
}
