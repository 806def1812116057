import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { LIMITS } from '../../../src/contract/limits.ts'
import { clientAddress, limitKey, parseCidrs } from '../../../src/core/client-address.ts'
import { createMeter } from '../../../src/core/observing/meter.ts'
import { countIgnoredProxies } from '../../../src/http/server/access.ts'
import { createCallerResolver } from '../../../src/http/server/callers.ts'

const TRUSTED = parseCidrs(['127.0.0.0/8', '10.0.0.0/8'])
const PEERS = ['127.0.0.1', '10.0.0.2', '203.0.113.1', '2001:db8::1'] as const

const address = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.constantFrom('10.1.1.1', '127.0.0.1', 'unknown', ''),
)
const forwarded = fc.oneof(
  fc.constant(null),
  fc.array(address, { maxLength: 4 }).map((hops) => hops.join(', ')),
)

function headersOf(value: string | null): Headers {
  return new Headers(value === null ? {} : { 'x-forwarded-for': value })
}

test('whoever is known is who they would be if nobody were', () => {
  const callerOf = createCallerResolver(TRUSTED, () => undefined)
  fc.assert(
    fc.property(fc.constantFrom(...PEERS), forwarded, (peer, value) => {
      const headers = headersOf(value)
      const expected = clientAddress(peer, headers.get('x-forwarded-for'), TRUSTED)
      for (let time = 0; time < 2; time += 1) {
        expect(callerOf(headers, peer)).toEqual({
          address: expected,
          limitKey: limitKey(expected),
          peer,
          isHead: false,
        })
      }
    }),
  )
})

test('what one peer is believed, another is not', () => {
  const callerOf = createCallerResolver(TRUSTED, () => undefined)
  const headers = headersOf('198.51.100.7')
  expect(callerOf(headers, '10.0.0.2').address).toBe('198.51.100.7')
  expect(callerOf(headers, '203.0.113.1').address).toBe('203.0.113.1')
})

test('as many callers as there are addresses are told apart, in a bounded memory', () => {
  const callerOf = createCallerResolver(TRUSTED, () => undefined)
  const callers = LIMITS.callersKnownMaxChars / 16
  const addressOf = (at: number) => `100.${at >> 16}.${(at >> 8) & 255}.${at & 255}`
  for (let at = 0; at < callers; at += 1) {
    expect(callerOf(headersOf(addressOf(at)), '127.0.0.1').address).toBe(addressOf(at))
  }
  expect(callerOf(headersOf(addressOf(0)), '127.0.0.1').address).toBe(addressOf(0))
})

test('a peer that is no trusted proxy and names a caller is reported at each request, and no other', () => {
  for (const trusted of [TRUSTED, []]) {
    const ignored: string[] = []
    const callerOf = createCallerResolver(trusted, (peer) => ignored.push(peer))
    callerOf(headersOf(null), '192.168.0.9')
    const values = ['198.51.100.7', '198.51.100.8', '198.51.100.7']
    for (const value of values) callerOf(headersOf(value), '192.168.0.9')
    expect(ignored).toEqual(values.map(() => '192.168.0.9'))
    callerOf(headersOf('198.51.100.7'), '10.0.0.2')
    expect(ignored).toHaveLength(trusted === TRUSTED ? 3 : 4)
  }
})

test('of peers that are not believed all are counted, and the first of a private network is logged, once', () => {
  const meter = createMeter(() => 0)
  const lines: unknown[] = []
  const write = (...line: unknown[]) => void lines.push(line)
  const log = { error: write, warn: write, info: write, debug: write }
  const note = countIgnoredProxies(meter, log)
  for (const peer of ['8.8.8.8', '2a00:1450::1']) note(peer)
  expect(lines).toEqual([])
  for (const peer of ['10.1.2.3', '127.0.0.1', '172.17.0.1']) note(peer)
  const setting = 'PREPD_TRUSTED_PROXIES'
  expect(lines).toEqual([['proxy_not_trusted', { peer: '10.1.2.*', setting }]])
  const counted = meter.samples('prepd_forwarded_ignored_total')
  expect(counted.map(({ labels, value }) => [...labels, value])).toEqual([
    ['private', 3],
    ['public', 2],
  ])
})
