import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { clientAddress, limitKey, parseCidrs } from '../../../src/core/client-address.ts'
import { createCallerOf } from '../../../src/routes/http/callers.ts'
import { LIMITS } from '../../../src/spec/limits.ts'

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
  const callerOf = createCallerOf(TRUSTED)
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
  const callerOf = createCallerOf(TRUSTED)
  const headers = headersOf('198.51.100.7')
  expect(callerOf(headers, '10.0.0.2').address).toBe('198.51.100.7')
  expect(callerOf(headers, '203.0.113.1').address).toBe('203.0.113.1')
})

test('as many callers as there are addresses are told apart, in a bounded memory', () => {
  const callerOf = createCallerOf(TRUSTED)
  const callers = LIMITS.callersKnownMaxChars / 16
  const addressOf = (at: number) => `100.${at >> 16}.${(at >> 8) & 255}.${at & 255}`
  for (let at = 0; at < callers; at += 1) {
    expect(callerOf(headersOf(addressOf(at)), '127.0.0.1').address).toBe(addressOf(at))
  }
  expect(callerOf(headersOf(addressOf(0)), '127.0.0.1').address).toBe(addressOf(0))
})
