import { describe, expect, test } from 'bun:test'
import {
  EXEMPT_KEYS,
  HOSTS,
  NAMES,
  PHRASES,
  PUBLIC_REMOVED_KEYS,
  REMOVED_KEYS,
  RENAMED_KEYS,
  URL_PATH_BRANDS,
} from '../../src/contract/scrub-lists.ts'

// Venues that are also chains, tokens or plain words: blanking them by value would take honest answers with it.
// biome-ignore format: read as a list
const AMBIGUOUS = [
  'across', 'allowance', 'arbitrum', 'avalanche', 'base', 'bitget', 'binance', 'circle', 'coinbase', 'eco', 'fly',
  'garden', 'gnosis', 'hop', 'hyperliquid', 'jupiter', 'lido', 'megaeth', 'merkle', 'momentum', 'near', 'okx', 'omni',
  'optimism', 'paxos', 'perena', 'pioneer', 'polygon', 'relay', 'rialto', 'squid', 'standard', 'superfluid', 'swift',
  'titan', 'unit', 'wrapper',
]

describe('the scrub lists', () => {
  test('remove exactly the nine keys of the specification, and one more from public answers', () => {
    expect(REMOVED_KEYS).toEqual([
      'broker_id',
      'brokerId',
      'broker_name',
      'brokerName',
      'dex_id',
      'builder_id',
      'builder_name',
      'vendor',
      'provider',
    ])
    expect(PUBLIC_REMOVED_KEYS).toEqual(['broker_ids'])
  })

  test('hold names and phrases as they are compared: lower case letters and digits', () => {
    for (const name of [...NAMES, ...PHRASES]) expect(name).toMatch(/^[a-z0-9]+$/)
  })

  test('hold hosts as bare lower case names', () => {
    for (const host of HOSTS) expect(host).toMatch(/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/)
    for (const brand of URL_PATH_BRANDS) expect(brand).toMatch(/^[a-z0-9-]+$/)
  })

  test('have no entry twice', () => {
    for (const list of [REMOVED_KEYS, EXEMPT_KEYS, NAMES, PHRASES, HOSTS, URL_PATH_BRANDS]) {
      expect(new Set(list).size).toBe(list.length)
    }
  })

  test('never take a chain, a token or a plain word for a venue', () => {
    expect(AMBIGUOUS.filter((word) => NAMES.includes(word) || PHRASES.includes(word))).toEqual([])
  })

  test('never exempt a key they remove or rename', () => {
    const keys = [...REMOVED_KEYS, ...PUBLIC_REMOVED_KEYS, ...Object.keys(RENAMED_KEYS)]
    expect(EXEMPT_KEYS.filter((key) => keys.includes(key))).toEqual([])
  })

  test('rename the venue’s word for a trading key to our own, in both spellings', () => {
    expect(RENAMED_KEYS).toEqual({ orderly_key: 'trading_key', orderlyKey: 'tradingKey' })
  })
})
