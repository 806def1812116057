import { concatBytes, utf8 } from '../core/bytes.ts'
import { fromHex, isAddress } from '../core/hex.ts'
import { keccak256 } from './keccak.ts'

/** The atomic and dynamic types of EIP-712 that the venue's structs use. */
type FieldType = 'string' | 'uint256' | 'uint64' | 'address' | 'bytes32'

type Field = { readonly name: string; readonly type: FieldType }

/** The venue's wallet-signed structs. Names, types and order are hashed: none of them is ours to choose. */
export const STRUCTS = {
  Registration: [
    { name: 'brokerId', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'timestamp', type: 'uint64' },
    { name: 'registrationNonce', type: 'uint256' },
  ],
  AddOrderlyKey: [
    { name: 'brokerId', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'orderlyKey', type: 'string' },
    { name: 'scope', type: 'string' },
    { name: 'timestamp', type: 'uint64' },
    { name: 'expiration', type: 'uint64' },
  ],
  Withdraw: [
    { name: 'brokerId', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'receiver', type: 'address' },
    { name: 'token', type: 'string' },
    { name: 'amount', type: 'uint256' },
    { name: 'withdrawNonce', type: 'uint64' },
    { name: 'timestamp', type: 'uint64' },
  ],
  SettlePnl: [
    { name: 'brokerId', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'settleNonce', type: 'uint64' },
    { name: 'timestamp', type: 'uint64' },
  ],
  InternalTransfer: [
    { name: 'receiver', type: 'bytes32' },
    { name: 'token', type: 'string' },
    { name: 'amount', type: 'uint256' },
    { name: 'transferNonce', type: 'uint64' },
  ],
} as const satisfies Record<string, readonly Field[]>

/** The verifying contract of Registration and AddOrderlyKey, which no chain ever sees. */
export const OFF_CHAIN_CONTRACT = '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC'

/** The verifying contract of every other struct: the venue's ledger. */
export const LEDGER_CONTRACTS = {
  mainnet: '0x6F7a338F2aA472838dEFD3283eB360d4Dff5D203',
  testnet: '0x1826B75e2ef249173FC735149AE4B8e9ea10abff',
} as const

export type StructName = keyof typeof STRUCTS

/** An unsigned integer: a safe number, a bigint, or decimal text. */
export type Uint = number | bigint | string

type FieldValues = { string: string; uint256: Uint; uint64: Uint; address: string; bytes32: string }

/** The values of a struct's fields. Further members are allowed, and are not signed. */
export type StructMessage<S extends StructName> = {
  readonly [F in (typeof STRUCTS)[S][number] as F['name']]: FieldValues[F['type']]
}

/** The part of the venue's domain that varies: the chain the wallet is on, and who checks the signature. */
export type Domain = { readonly chainId: Uint; readonly verifyingContract: string }

/**
 * The 32 bytes a wallet signs for a struct (EIP-712: `keccak256(0x1901 ‖ domainSeparator ‖ hashStruct)`).
 * Throws RangeError, naming the field, when a value is not of its type.
 */
export function typedDataDigest<S extends StructName>(
  struct: S,
  message: StructMessage<S>,
  domain: Domain,
): Uint8Array {
  const separator = hashStruct('EIP712Domain', DOMAIN_FIELDS, { ...domain, ...DOMAIN })
  return keccak256(
    concatBytes([DIGEST_PREFIX, separator, hashStruct(struct, STRUCTS[struct], message)]),
  )
}

/**
 * The same struct as the JSON document that `eth_signTypedData_v4` takes. Holds the signed fields and no others;
 * a bigint is written as decimal text, other integers as they were given. Throws RangeError as `typedDataDigest`.
 */
export function typedDataDocument<S extends StructName>(
  struct: S,
  message: StructMessage<S>,
  domain: Domain,
): string {
  // What has no digest must not become a document either.
  typedDataDigest(struct, message, domain)
  return JSON.stringify({
    types: { EIP712Domain: DOMAIN_FIELDS, [struct]: STRUCTS[struct] },
    primaryType: struct,
    domain: documentOf(DOMAIN_FIELDS, { ...domain, ...DOMAIN }),
    message: documentOf(STRUCTS[struct], message),
  })
}

type Values = Readonly<Record<string, unknown>>

const DOMAIN = { name: 'Orderly', version: '1' } as const
const DOMAIN_FIELDS = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
] as const satisfies readonly Field[]
const DIGEST_PREFIX = Uint8Array.of(0x19, 0x01)

function hashStruct(name: string, fields: readonly Field[], values: Values): Uint8Array {
  const signature = fields.map((field) => `${field.type} ${field.name}`).join(',')
  const typeHash = keccak256(utf8(`${name}(${signature})`))
  return keccak256(concatBytes([typeHash, ...fields.map((field) => wordOf(field, values))]))
}

function documentOf(fields: readonly Field[], values: Values) {
  const members = fields.map(({ name }) => [name, jsonOf(values[name])])
  return Object.fromEntries(members)
}

function jsonOf(value: unknown) {
  return typeof value === 'bigint' ? value.toString() : value
}

function wordOf({ name, type }: Field, values: Values): Uint8Array {
  const word = WORDS[type](values[name])
  if (!word) throw new RangeError(`${name} is no ${type}`)
  return word
}

/** How a value of each type becomes its 32-byte word; null when it is not of the type. */
const WORDS: Record<FieldType, (value: unknown) => Uint8Array | null> = {
  // A lone surrogate has no UTF-8 form, so it would be signed as another text than the one that was sent.
  string: (value) =>
    typeof value === 'string' && value.isWellFormed() ? keccak256(utf8(value)) : null,
  uint256: (value) => uintWord(value, 256n),
  uint64: (value) => uintWord(value, 64n),
  address: (value) =>
    typeof value === 'string' && isAddress(value)
      ? fromHex(value.slice(2).padStart(64, '0'))
      : null,
  bytes32: (value) => (typeof value === 'string' && BYTES32.test(value) ? fromHex(value) : null),
}

const BYTES32 = /^0x[0-9a-fA-F]{64}$/
/** 2^256 has 78 digits. */
const DECIMAL = /^[0-9]{1,78}$/

function uintWord(value: unknown, bits: bigint): Uint8Array | null {
  const integer = integerOf(value)
  // What is left is not zero for a negative integer either.
  if (integer === null || integer >> bits !== 0n) return null
  return fromHex(integer.toString(16).padStart(64, '0'))
}

function integerOf(value: unknown): bigint | null {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : null
  return typeof value === 'string' && DECIMAL.test(value) ? BigInt(value) : null
}
