import { textOfExact } from '../../common/format.ts'

type Value = string | boolean | bigint | number | null

/** A JSON body in which exact values stand as plain decimals; what is null is left out. */
export function bodyText(fields: Readonly<Record<string, Value>>): string {
  const members = Object.entries(fields).flatMap(([name, value]) => {
    if (value === null) return []
    const text = typeof value === 'bigint' ? textOfExact(value) : JSON.stringify(value)
    return [`${JSON.stringify(name)}:${text}`]
  })
  return `{${members.join(',')}}`
}

const ID_BYTES = 12

/** An id of an order that nobody has used: with it the order is found again whatever becomes of the answer. */
export function newClientOrderId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES))
  return `page-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
