import { ORDER_ENUMS } from '../orders/request.ts'

const ENUM_TAG = /^enum:([^:]{1,64}):([A-Z0-9_]{1,36})$/

/** The builder whose tag an order carries, `enum:<builder>:<id>`; null for any other text. */
export function tagOwner(tag: string | null): string | null {
  if (tag === null) return null
  const [, owner = null, id] = ENUM_TAG.exec(tag) ?? []
  return ORDER_ENUMS.some((each) => each.id === id) ? owner : null
}
