import { amountText } from '../../../perp/amounts.ts'

type Fields = Readonly<Record<string, Value>>

type Value = string | boolean | bigint | number | null | readonly Fields[]

/** A JSON body with exact values as plain decimals; null members are left out. */
export function bodyText(fields: Fields): string {
  const members = Object.entries(fields).flatMap(([name, value]) => {
    if (value === null) return []
    return [`${JSON.stringify(name)}:${textOfValue(value)}`]
  })
  return `{${members.join(',')}}`
}

function textOfValue(value: Exclude<Value, null>): string {
  if (typeof value === 'bigint') return amountText(value)
  if (typeof value !== 'object') return JSON.stringify(value)
  return `[${value.map(bodyText).join(',')}]`
}

const ID_BYTES = 12

/** A new id of an order. It finds the order again even if the answer is lost. */
export function newClientOrderId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES))
  return `page-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
