import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { faultCount, guarded, reportFaultsTo } from '../../../src/core/loop/guarded.ts'
import type { FromVenue, ToVenue } from '../../../src/simulator/thread/messages.ts'
import { isFromVenue, isToVenue } from '../../../src/simulator/thread/messages.ts'
import { serveVenue } from '../../../src/simulator/thread/serve.ts'
import { runs } from '../../runs.ts'

const error = { name: 'Error', message: 'x' }
const FROM: readonly FromVenue[] = [
  { kind: 'open', port: null },
  { kind: 'unopened', error },
  { kind: 'answer', id: 1, value: undefined },
  { kind: 'error', id: 1, error },
  { kind: 'message', id: 1, message: { topic: 't', atMs: 0, json: '{}' } },
  { kind: 'sink', id: 1, event: 'lost' },
  { kind: 'log', level: 'warn', event: 'venue_fault', fields: undefined },
  { kind: 'fault', part: 'venue', error },
  { kind: 'refusal', reason: null },
  { kind: 'busy', isBusy: true },
  { kind: 'pong' },
  { kind: 'closed' },
]
const TO: readonly Exclude<ToVenue, { kind: 'open' }>[] = [
  { kind: 'call', id: 1, name: 'check', given: [] },
  { kind: 'topic', id: 1, topic: 't' },
  { kind: 'account', id: 1, auth: { accountId: '', key: '', timestamp: '0', signature: '' } },
  { kind: 'unsubscribe', id: 1 },
  { kind: 'ping' },
  { kind: 'close' },
]
/** Fields that may be anything: the types of both threads say what they are. */
const FREE = new Set(['value', 'fields'])

test.each([
  ['from the venue', FROM, isFromVenue],
  ['to the venue', TO, isToVenue],
] as const)(
  'messages %s are known, and are not without any of their fields',
  (_, messages, isOne) => {
    for (const message of messages) {
      expect(isOne(message)).toBe(true)
      for (const name of Object.keys(message).filter((field) => !FREE.has(field))) {
        expect([name, isOne({ ...message, [name]: undefined })]).toEqual([name, false])
        expect([name, isOne({ ...message, [name]: Symbol.iterator })]).toEqual([name, false])
      }
    }
  },
)

test('nothing else is a message', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      expect([isFromVenue(value), isToVenue(value)]).toEqual([false, false])
    }),
    { numRuns: runs(200) },
  )
  for (const kind of ['', 'none', 'constructor', '__proto__'])
    expect([isFromVenue({ kind }), isToVenue({ kind })]).toEqual([false, false])
})

test('a malformed message to the venue is a fault that is counted and reported, and the next is answered', () => {
  const sent: FromVenue[] = []
  const receive = guarded(
    'venue',
    serveVenue({
      ...{ clock: { nowMs: Date.now }, monotonicMs: () => performance.now() },
      open: () => {
        throw new Error('not opened here')
      },
      send: (message) => void sent.push(message),
    }),
  )
  const faults = faultCount('venue')
  receive({ kind: 'call', name: 'check', given: [] })
  receive({ kind: 'ping' })
  reportFaultsTo(() => undefined)()
  expect(faultCount('venue')).toBe(faults + 1)
  expect(sent).toMatchObject([
    { kind: 'fault', part: 'venue', error: { name: 'TypeError' } },
    { kind: 'pong' },
  ])
})
