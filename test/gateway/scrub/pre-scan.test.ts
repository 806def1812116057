import { describe, expect, test } from 'bun:test'
import { createPreScan } from '../../../src/gateway/scrub/venue-name.ts'

const preScan = createPreScan(['Acme'])

describe('a preScan', () => {
  test.each([
    [
      'rows of markets',
      '{"rows":[{"symbol":"PERP_BTC_USDC","base":"BTC","status":"ACTIVE","x":1.5}]}',
    ],
    ['an order book', '{"asks":[{"price":60210.5,"quantity":0.1}],"timestamp":1777500000123}'],
    [
      'words that begin like names',
      '{"a":"lift","b":["woodwork","orders"],"provided":1,"brokers":2}',
    ],
    ['words that end like names', '{"a":"not lifi","key_provider":1}'],
    ['identifiers', '{"account_id":"0x6d5a","key":"ed25519:8tm7","time":"12.5"}'],
    ['prose', '{"text":"Fees are lower. From today on: maker 0.02, via LiFi"}'],
    ['nothing', '{}'],
  ])('lets %s pass', (_, text) => {
    expect(preScan(text)).toBe(false)
  })

  test.each([
    ['a removed key', '{"a":[{"broker_id":null}]}'],
    ['a removed key after a space', '{ "provider": 1 }'],
    ['a key of public answers', '{"a":1,"broker_ids":[]}'],
    ['a renamed key', '{"rows":[{"orderlyKey":"ed25519:8tm7"}]}'],
    ['a name', '{"a":"Li.Fi"}'],
    ['a name in an array', '["a","—W O O F i—"]'],
    ['a name of the operator', '{"a":["ACME"]}'],
    ['a text that is one name', '"lifi"'],
    ['a URL', '{"a":"https://example.org/x"}'],
    ['a URL without a dot', '{"a":"http://localhost/lifinance"}'],
    ['a bare host', '{"a":"app.li.fi"}'],
    ['an escape', '{"\\u0061":1}'],
  ])('stops at %s', (_, text) => {
    expect(preScan(text)).toBe(true)
  })
})
