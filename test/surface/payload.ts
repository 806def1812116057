import { isObject } from '../../src/core/json.ts'
import type { OperationRow } from './recorded-venue.ts'

/** What the caller gets: the payload out of its envelope, without what names the venue and its front ends. */
export function payloadOf({ answer }: Pick<OperationRow, 'answer'>): unknown {
  if (!isObject(answer)) throw new Error('no recorded answer')
  const { data, meta } = answer
  if (data === undefined) return nameless(answer)
  return nameless(meta === undefined || !isObject(data) ? data : { ...data, meta })
}

const GONE = ['broker_id', 'broker_name', 'broker_ids', 'builder_name', 'dex_id']
const NAMES = ['orderly', 'orderlynetwork', 'woofi', 'woofipro']
const OWN_HOST = /^https:\/\/(?:[a-z-]+\.)*orderly\.(?:network|org)(?:\/|$)/

function isName(text: string): boolean {
  return NAMES.includes(text.toLowerCase().replace(/[^a-z0-9]/g, '')) || OWN_HOST.test(text)
}

function nameless(value: unknown): unknown {
  if (typeof value === 'string') return isName(value) ? '' : value
  if (Array.isArray(value)) return value.map(nameless)
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([key]) => !GONE.includes(key))
  return Object.fromEntries(
    kept.map(([key, inner]) => [key === 'orderly_key' ? 'trading_key' : key, nameless(inner)]),
  )
}
