import { describe, expect, test } from 'bun:test'
import { parseExact } from '../../../src/core/json.ts'
import { createScrub, ScrubError, type ScrubPolicy } from '../../../src/gateway/scrub/scrub.ts'
import VECTORS from '../../vectors/scrub.json'

const PRIVATE: ScrubPolicy = { audience: 'private' }
const PUBLIC: ScrubPolicy = { audience: 'public' }

const scrub = createScrub({ names: [] })

function policyOf(audience: string, exempt?: readonly string[]): ScrubPolicy {
  const policy = audience === 'public' ? PUBLIC : PRIVATE
  return exempt ? { ...policy, exempt } : policy
}

describe('a body', () => {
  for (const { name, audience, exempt, given, expected } of VECTORS) {
    test(name, () => {
      expect(scrub.text(given, policyOf(audience, exempt)).text()).toBe(expected)
    })
  }

  test('has a key that it keeps, whatever its value is called, and none of the others', () => {
    const given = { message: { brokerId: 'LiFi', broker_id: 'demo' }, vendor: 'x', name: 'LiFi' }
    const kept = scrub.value(given, { ...PRIVATE, keeps: ['brokerId'] }).text()
    expect(kept).toBe('{"message":{"brokerId":"LiFi"},"name":""}')
    expect(scrub.value(given, PRIVATE).text()).toBe('{"message":{},"name":""}')
  })

  test('is refused when it needs work and is not JSON', () => {
    for (const text of [
      '{"vendor":1',
      '{"vendor":1]',
      '["LiFi",]',
      '"\\u12"',
      '"\\',
      '{vendor:"LiFi"}',
    ]) {
      expect(() => scrub.text(text, PRIVATE)).toThrow(ScrubError)
    }
  })

  test('is refused when it needs work and nests deeper than the limit', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}"LiFi"${']'.repeat(depth)}`
    expect(scrub.text(nested(64), PRIVATE).text()).toContain('[""]')
    expect(() => scrub.text(nested(65), PRIVATE)).toThrow(ScrubError)
    expect(() => scrub.text(nested(200_000), PRIVATE)).toThrow(ScrubError)
    expect(() => scrub.text(`{"vendor":${nested(64)}}`, PRIVATE)).toThrow(ScrubError)
  })

  test('loses names the operator added, however they are punctuated, and no others', () => {
    const own = createScrub({ names: ['Acme Perps', 'acme.example', ' ', '!'] })
    const given = '{"a":"ACME-PERPS","b":"https://app.acme.example/x","c":"—","d":"","e":"Acme"}'
    expect(own.text(given, PRIVATE).text()).toBe('{"a":"","b":"","c":"—","d":"","e":"Acme"}')
    expect(scrub.text(given, PRIVATE).text()).toBe(given)
  })
})

describe('a value', () => {
  test('is written, scrubbed, and keeps the spelling of parsed numbers', () => {
    const value = { rows: parseExact('[{"a":1.50,"broker_id":"x"}]', 2), total: 1, none: undefined }
    expect(scrub.value(value, PUBLIC).text()).toBe('{"rows":[{"a":1.50}],"total":1}')
  })

  test('is refused when there is no JSON for it', () => {
    const circle: unknown[] = []
    circle.push(circle)
    for (const value of [undefined, circle, 1n]) {
      expect(() => scrub.value(value, PUBLIC)).toThrow(ScrubError)
    }
  })
})
