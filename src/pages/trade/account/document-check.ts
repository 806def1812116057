import type { TypedDataBody } from '../../../contract/typed-data.ts'
import {
  LEDGER_CONTRACTS,
  OFF_CHAIN_CONTRACT,
  WALLET_STRUCTS,
} from '../../../core/crypto/typed-data.ts'
import {
  type Exact,
  exactOrNone,
  memberRows,
  memberText,
  memberValue,
} from '../../common/exact-json.ts'

/** The document that the page asks the server to prepare for the wallet. */
export type DocumentRequest = Extract<
  TypedDataBody,
  { kind: 'register' | 'trading-key' | 'withdraw' | 'settle' }
>

/** A document that matches the request, with the fields to show. */
export type CheckedDocument = {
  readonly kind: DocumentRequest['kind']
  readonly fields: readonly (readonly [name: string, value: string])[]
}

/** The document differs from the request; `field` names the difference. */
export class AlteredDocument extends Error {
  readonly field: string
  constructor(field: string) {
    super(field)
    this.field = field
  }
}

const STRUCT = {
  register: 'Registration',
  'trading-key': 'AddOrderlyKey',
  withdraw: 'Withdraw',
  settle: 'SettlePnl',
} as const
/** The contracts that verify documents which open an account, and documents which move money. */
const CONTRACTS: Readonly<Record<DocumentRequest['kind'], readonly string[]>> = {
  register: [OFF_CHAIN_CONTRACT],
  'trading-key': [OFF_CHAIN_CONTRACT],
  withdraw: LEDGER_CONTRACTS,
  settle: LEDGER_CONTRACTS,
}
const AGE_MAX_MS = 300_000

/**
 * Checks the exact text that a wallet is about to sign. Throws AlteredDocument if its struct or a value differs from
 * the request, or if the document has an additional field.
 */
export function checkDocument(
  typedData: string,
  asked: DocumentRequest,
  nowMs: number,
): CheckedDocument {
  const document = exactOrNone(typedData)
  if (document === undefined) throw new AlteredDocument('document')
  const message = memberValue(document, 'message')
  const struct = STRUCT[asked.kind]
  if (memberText(document, 'primaryType') !== struct) throw new AlteredDocument('primaryType')
  assertFields(document, struct)
  assertDomain(memberValue(document, 'domain'), asked)
  for (const [name, value] of wantedFields(asked)) {
    if (memberText(message, name) !== value) throw new AlteredDocument(name)
  }
  if (Math.abs(Number(memberText(message, 'timestamp')) - nowMs) > AGE_MAX_MS) {
    throw new AlteredDocument('timestamp')
  }
  return {
    kind: asked.kind,
    fields: WALLET_STRUCTS[struct].map(({ name }) => [name, memberText(message, name)]),
  }
}

/** Throws AlteredDocument unless the document's types and message have exactly the struct's fields, the types in order. */
function assertFields(document: Exact, struct: (typeof STRUCT)[keyof typeof STRUCT]): void {
  const types = memberRows(memberValue(document, 'types'), struct)
  const fields = types.map((row) => `${memberText(row, 'type')} ${memberText(row, 'name')}`)
  const wanted = WALLET_STRUCTS[struct].map(({ type, name }) => `${type} ${name}`)
  if (fields.join() !== wanted.join()) throw new AlteredDocument('types')
  const message = memberValue(document, 'message')
  const names = Object.keys(typeof message === 'object' && message !== null ? message : {})
  const known = WALLET_STRUCTS[struct].map(({ name }): string => name)
  const stranger = names.find((name) => !known.includes(name))
  if (stranger !== undefined) throw new AlteredDocument(stranger)
}

function assertDomain(domain: Exact | undefined, { kind, chainId }: DocumentRequest): void {
  if (memberText(domain, 'chainId') !== String(chainId)) throw new AlteredDocument('chainId')
  if (!CONTRACTS[kind].includes(memberText(domain, 'verifyingContract'))) {
    throw new AlteredDocument('verifyingContract')
  }
}

/** The requested values, by their field names in the struct. */
function wantedFields({
  kind: _,
  ...values
}: DocumentRequest): readonly (readonly [string, string])[] {
  return Object.entries(values).map(([name, value]) => [STRUCT_NAMES[name] ?? name, String(value)])
}

const STRUCT_NAMES: Readonly<Record<string, string>> = {
  tradingKey: WALLET_STRUCTS.AddOrderlyKey[2].name,
}
