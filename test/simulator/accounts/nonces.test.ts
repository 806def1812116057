import { describe, expect, test } from 'bun:test'
import { issueNonce } from '../../../src/simulator/accounts/accounts.ts'
import { openExchange } from '../../../src/simulator/exchange/exchange.ts'
import { openVenueFile } from '../../../src/store/entity-file.ts'
import { failed } from '../failed.ts'
import { smallInitialState, WORLD_START_MS } from '../past/small-feed.ts'

/** An exchange whose nonces count up from 100000000000. */
function open() {
  const store = openVenueFile(':memory:')
  const exchange = openExchange({
    entities: store,
    initialState: smallInitialState(() => 1),
    failed,
  })
  let next = 100_000_000_000
  const random = {
    bytes: (length: number) => {
      const bytes = Buffer.alloc(length)
      bytes.writeBigUInt64BE(BigInt(next++), length - 8)
      return bytes
    },
  }
  const stored = () => {
    exchange.commit()
    return [...store.load('nonce')].map(({ key }) => key)
  }
  return {
    issue: (afterMs: number) => issueNonce(exchange, random, WORLD_START_MS + afterMs),
    spendable: () => [...exchange.nonces.keys()],
    stored,
    [Symbol.dispose]: () => store.close(),
  }
}

describe('registration nonces', () => {
  test('are at most 10000 at one time: for one more the oldest goes, from the store as well', () => {
    using exchange = open()
    const issued = Array.from({ length: 10_000 }, () => exchange.issue(0))
    expect(exchange.spendable()).toEqual(issued)
    const last = exchange.issue(0)
    const kept = [...issued.slice(1), last]
    expect(exchange.spendable()).toEqual(kept)
    expect(exchange.stored()).toEqual(kept)
  })

  test('leave after two minutes, when the next is issued; those that can be spent stay', () => {
    using exchange = open()
    const first = exchange.issue(0)
    const second = exchange.issue(1)
    expect(exchange.issue(119_999)).not.toBe(first)
    expect(exchange.spendable()).toContain(first)
    const last = exchange.issue(120_000)
    expect(exchange.spendable()).not.toContain(first)
    expect(exchange.stored()).toEqual(expect.arrayContaining([second, last]))
    expect(exchange.stored()).not.toContain(first)
  })
})
