import { type Field, structDigest, structDocument, type ValuesOf } from './eip712.ts'
import { OFF_CHAIN_CONTRACT } from './typed-data.ts'

/** The structs that wallets sign only for this service. Limits are text fields, so that a wallet displays them readably. */
const STRUCTS = {
  Mandate: [
    { name: 'account', type: 'bytes32' },
    { name: 'service', type: 'string' },
    { name: 'maxOrderUsdc', type: 'string' },
    { name: 'maxDailyUsdc', type: 'string' },
    { name: 'maxPositionUsdc', type: 'string' },
    { name: 'maxLossUsdc', type: 'string' },
    { name: 'approveAboveUsdc', type: 'string' },
    { name: 'maxLeverage', type: 'string' },
    { name: 'maxOrdersPerMinute', type: 'string' },
    { name: 'symbols', type: 'string' },
    { name: 'reduceOnly', type: 'string' },
    { name: 'readOnly', type: 'string' },
    { name: 'onceByClientOrderId', type: 'string' },
    { name: 'approveChanges', type: 'string' },
    { name: 'expires', type: 'string' },
    { name: 'frozen', type: 'string' },
    { name: 'counter', type: 'uint64' },
    { name: 'timestamp', type: 'uint64' },
  ],
  Approval: [
    { name: 'account', type: 'bytes32' },
    { name: 'service', type: 'string' },
    { name: 'approval', type: 'string' },
    { name: 'order', type: 'string' },
    { name: 'worstCase', type: 'string' },
    { name: 'method', type: 'string' },
    { name: 'path', type: 'string' },
    { name: 'bodySha256', type: 'bytes32' },
    { name: 'expires', type: 'string' },
  ],
  Webhook: [
    { name: 'account', type: 'bytes32' },
    { name: 'service', type: 'string' },
    { name: 'action', type: 'string' },
    { name: 'url', type: 'string' },
    { name: 'events', type: 'string' },
    { name: 'webhook', type: 'string' },
    { name: 'timestamp', type: 'uint64' },
  ],
} as const satisfies Record<string, readonly Field[]>

/**
 * A struct for a named service: its EIP-712 document for eth_signTypedData_v4, and the 32 bytes to sign. The text
 * fields of `more` follow the fixed fields; without `more`, older versions make the same document. Throws RangeError,
 * naming the field, for a value of the wrong type.
 */
export function serviceTypedData<S extends keyof typeof STRUCTS>(
  struct: S,
  values: ValuesOf<(typeof STRUCTS)[S]>,
  { service, chainId }: { readonly service: string; readonly chainId: number },
  more: Readonly<Record<string, string>> = {},
): { readonly typedData: string; readonly digest: Uint8Array } {
  const texts = Object.keys(more).map((name): Field => ({ name, type: 'string' }))
  const fields = [...STRUCTS[struct], ...texts]
  const signed = { name: struct, fields, values: { ...values, ...more } }
  const domain = { name: service, version: '1', chainId, verifyingContract: OFF_CHAIN_CONTRACT }
  return { typedData: structDocument(signed, domain), digest: structDigest(signed, domain) }
}
