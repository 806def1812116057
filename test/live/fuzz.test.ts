import { expect, test } from 'bun:test'
import { FAILURES } from '../../src/contract/failures.ts'
import { openHubFixture, settled } from './fixture.ts'

/** Messages, three on each connection. */
const FUZZED = Number(process.env['FUZZED_MESSAGES'] ?? 30_000)

// Slow: thirty thousand generated messages are received.
test('whatever a client says is answered by a code of the closed list', async () => {
  const fixture = openHubFixture()
  const words = wordsFrom(1)
  let errors = 0
  for (let count = 0; count < FUZZED / 3; count += 1) {
    const { sink, connection } = fixture.connect()
    for (let turn = 0; turn < 3; turn += 1) fixture.receive(connection, words())
    await settled()
    for (const { type, code } of sink.messages) {
      if (type !== 'error') continue
      errors += 1
      if (!Object.hasOwn(FAILURES, code ?? '') || code === 'internal') throw new Error(`${code}`)
    }
    fixture.hub.disconnect(connection)
    fixture.forget(sink)
  }
  expect(errors).toBeGreaterThan(FUZZED / 3)
  expect(fixture.hub.size().socket).toBe(0)
  fixture.close()
}, 3_600_000)

const PIECES = [
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  '"',
  '\\',
  'null',
  'true',
  '-1',
  '1e999',
  '0',
  '"op"',
  '"subscribe"',
  '"auth"',
  '"unsubscribe"',
  '"ping"',
  '"topics"',
  '"since"',
  '"orderbook:PERP_ETH_USDC"',
  '"__proto__"',
  '"constructor"',
  '"accountId"',
  '"key"',
  '"timestamp"',
  '"signature"',
  '\u0000',
  '\ud800',
  'é',
  ' ',
  '"orders"',
  '"toString"',
] as const

const WHOLES = [
  { op: 'subscribe', topics: ['marks', 'toString:x', '__proto__'], since: { marks: ['x', 1] } },
  { op: 'subscribe', topics: ['candles:PERP_ETH_USDC:12h'], since: { marks: 1 } },
  { op: 'unsubscribe', topics: ['marks'] },
  {
    op: 'auth',
    accountId: `0x${'a'.repeat(64)}`,
    key: 'ed25519:1',
    timestamp: '1'.repeat(13),
    signature: 'a'.repeat(86),
  },
  { op: 'ping' },
] as const

/** Messages that are almost meant: whole ones with pieces put in or cut out, and pieces alone. */
function wordsFrom(seed: number): () => string {
  let state = seed
  const draw = (max: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * max)
  }
  return () => {
    const whole = draw(3) === 0 ? '' : JSON.stringify(WHOLES[draw(WHOLES.length)])
    const at = draw(whole.length + 1)
    const pieces = Array.from({ length: draw(8) }, () => PIECES[draw(PIECES.length)]).join('')
    return whole.slice(0, at) + pieces + whole.slice(at + draw(12))
  }
}
