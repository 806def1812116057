import { utf8 } from '../../core/bytes.ts'
import { toPrefixedHex } from '../../core/hex.ts'
import { serviceTypedData } from '../../crypto/service-typed-data.ts'
import { sha256 } from '../../crypto/sha256.ts'
import { metaOf } from '../common/document.ts'
import { type Exact, exactOrNone, memberOf, readExact, textOf } from '../common/exact-json.ts'
import type { Shown } from './state.ts'

/** The service gave another message than what is shown; `field` says where. */
export class AlteredMessage extends Error {
  readonly field: string
  constructor(field: string) {
    super(field)
    this.field = field
  }
}

/** The digest of a body, as the message has it. */
export function digestOfBody(body: string): string {
  return toPrefixedHex(sha256(utf8(body)))
}

/**
 * The digest of a message that a wallet is about to sign, made here from what is shown. Throws AlteredMessage when the
 * document that the wallet gets is any other.
 */
export function checkedDigest(typedData: string, shown: Shown, chainId: number): Uint8Array {
  const values = {
    account: shown.accountId,
    service: location.hostname,
    approval: shown.id,
    order: shown.order.join('\n'),
    worstCase: shown.worstUsdc === '' ? 'not known' : `${shown.worstUsdc} USDC`,
    method: shown.method,
    path: shown.path,
    bodySha256: digestOfBody(shown.body),
    expires: new Date(shown.decideUntilMs).toISOString(),
  }
  const own = serviceTypedData('Approval', values, { service: metaOf('service'), chainId })
  const document = exactOrNone(typedData)
  if (document === undefined) throw new AlteredMessage('document')
  const field = differenceOf(readExact(own.typedData), document)
  if (field !== null) throw new AlteredMessage(field)
  return own.digest
}

const PARTS = ['types', 'primaryType', 'domain'] as const

/** The first part or field in which two documents differ; null where there is none. */
function differenceOf(own: Exact, given: Exact): string | null {
  const differs = (name: string, from: Exact | undefined, to: Exact | undefined) =>
    JSON.stringify(memberOf(from, name)) !== JSON.stringify(memberOf(to, name))
  const part = PARTS.find((name) => differs(name, own, given))
  if (part !== undefined) return part
  const [message, found] = [memberOf(own, 'message'), memberOf(given, 'message')]
  const names = [...Object.keys(Object(message)), ...Object.keys(Object(found))]
  return names.find((name) => textOf(message, name) !== textOf(found, name)) ?? null
}
