import {
  type Domain as AnyDomain,
  type Field,
  structDigest,
  structDocument,
  type ValuesOf,
} from './eip712.ts'

/**
 * The venue's structs that wallets sign. The hash covers the names, types and order of the fields, which the venue
 * defines.
 */
export const WALLET_STRUCTS = {
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
  DexRequest: [
    { name: 'payloadType', type: 'uint8' },
    { name: 'nonce', type: 'uint256' },
    { name: 'receiver', type: 'address' },
    { name: 'amount', type: 'uint256' },
    { name: 'vaultId', type: 'bytes32' },
    { name: 'token', type: 'string' },
    { name: 'dexBrokerId', type: 'string' },
  ],
} as const satisfies Record<string, readonly Field[]>

/** The verifying contract of the first two structs. It exists on no chain. */
export const OFF_CHAIN_CONTRACT = '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC'

/** The verifying contracts of structs that move money: the venue's ledger on its main and its test network. */
export const LEDGER_CONTRACTS = [
  '0x6F7a338F2aA472838dEFD3283eB360d4Dff5D203',
  '0x1826B75e2ef249173FC735149AE4B8e9ea10abff',
] as const

const TEST_NETWORK = /test|sepolia/i

/** The ledger contract for a chain; test networks have another contract. */
export function ledgerContract(chainName: string): (typeof LEDGER_CONTRACTS)[number] {
  const [main, test] = LEDGER_CONTRACTS
  return TEST_NETWORK.test(chainName) ? test : main
}

export type StructName = keyof typeof WALLET_STRUCTS

export type StructMessage<S extends StructName> = ValuesOf<(typeof WALLET_STRUCTS)[S]>

/** The variable part of the venue's domain: the wallet's chain and the verifying contract. */
type Domain = Pick<AnyDomain, 'chainId' | 'verifyingContract'>

/** The 32 bytes that a wallet signs for a struct. Throws RangeError, naming the field, for a value of the wrong type. */
export function typedDataDigest<S extends StructName>(
  struct: S,
  message: StructMessage<S>,
  domain: Domain,
): Uint8Array {
  return structDigest(
    { name: struct, fields: WALLET_STRUCTS[struct], values: message },
    { ...domain, ...DOMAIN },
  )
}

/** The digest of a struct whose field values `textOf` returns by name, as text. */
export function typedTextDigest(
  struct: StructName,
  textOf: (name: string) => string,
  domain: Domain,
): Uint8Array {
  const fields: readonly Field[] = WALLET_STRUCTS[struct]
  const values = Object.fromEntries(fields.map(({ name }) => [name, textOf(name)]))
  return structDigest({ name: struct, fields, values }, { ...domain, ...DOMAIN })
}

/**
 * The struct as the JSON document for `eth_signTypedData_v4`, with only the signed fields. A bigint is written as
 * decimal text, other integers as given. Throws RangeError like `typedDataDigest`.
 */
export function typedDataDocument<S extends StructName>(
  struct: S,
  message: StructMessage<S>,
  domain: Domain,
): string {
  return structDocument(
    { name: struct, fields: WALLET_STRUCTS[struct], values: message },
    { ...domain, ...DOMAIN },
  )
}

const DOMAIN = { name: 'Orderly', version: '1' } as const
