import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Failure } from '../../../src/core/failure.ts'
import { yieldToEventLoop } from '../../../src/core/loop/guarded.ts'
import type { Store } from '../../../src/core/ports.ts'
import { NO_PEERS, type PeerOutcomes } from '../../../src/gateway/relay/outcomes.ts'
import {
  createWriteLedger,
  type WriteAttempt,
  writeIdentity,
} from '../../../src/gateway/relay/write-ledger.ts'
import { createScrub } from '../../../src/gateway/scrub/scrub.ts'
import { type LogSync, SYNCED_BY_COMMIT } from '../../../src/store/connection/log-sync.ts'
import { openSqlite } from '../../../src/store/sqlite.ts'
import { temporaryFolder } from '../../surface/spawned.ts'

const EXPIRES_MS = 1_000_000
const scrub = createScrub({ names: [] })

/** A ledger on a store of its own, and how often each write was sent. */
function fixture(answersMaxBytes = 1_000_000, store: Store = openSqlite(':memory:', 0)) {
  let nowMs = 0
  const sends: string[] = []
  const ledger = createWriteLedger({
    clock: { nowMs: () => nowMs },
    store: store.once,
    answersMaxBytes,
    peers: NO_PEERS,
  })
  const write = (identity: string, answer = '{}') =>
    ledger.once({
      identity,
      owner: 'a',
      signature: new Uint8Array(64),
      signedAtMs: 1,
      expiresAtMs: EXPIRES_MS,
      goesUnclaimed: false,
      claimant: 'account',
      isReducing: () => false,
      assertFresh: () => undefined,
      use: async () => null,
      send: async () => {
        sends.push(identity)
        return scrub.text(answer, { audience: 'private' })
      },
      certainlyNotDone: () => false,
    })
  const at = (ms: number) => {
    nowMs = ms
    ledger.sweep(ms)
  }
  return { write, at, sends }
}

describe('a write whose claim waits for the disk', () => {
  const FAULT = Object.assign(new Error('the disk failed'), { code: 'EIO' })

  test.each([
    ['is sent once the disk has it', null],
    ['is refused and never sent when the disk fails', FAULT],
  ])('%s', async (_, fault) => {
    using folder = temporaryFolder()
    const ends: ((error: unknown) => void)[] = []
    const openLog = (): LogSync => ({
      ...SYNCED_BY_COMMIT,
      start: (done) => void ends.push(done),
    })
    const store = openSqlite(join(folder.path, 'prepd.sqlite'), 0, undefined, { openLog })
    const { write, sends } = fixture(1_000_000, store)
    const written = write('x')
    for (let count = 0; count < 3; count += 1) await yieldToEventLoop()
    expect(sends).toEqual([])
    expect(ends).toHaveLength(1)
    ends.shift()?.(fault)
    if (fault) await expect(written).rejects.toMatchObject({ code: 'store_unavailable' })
    else expect((await written).replayed).toBe(false)
    for (let count = 0; count < 3; count += 1) await yieldToEventLoop()
    expect(sends).toEqual(fault ? [] : ['x'])
    store.close()
  })
})

describe('the answer of a write', () => {
  test('is given again until its signature has expired, however often the ledger is swept', async () => {
    const { write, at, sends } = fixture()
    expect((await write('x')).replayed).toBe(false)
    for (const ms of [1, 1000, EXPIRES_MS - 1, EXPIRES_MS]) {
      at(ms)
      expect((await write('x')).replayed).toBe(true)
    }
    expect(sends).toEqual(['x'])
  })

  test('is forgotten afterwards', async () => {
    const { write, at, sends } = fixture()
    await write('x')
    at(EXPIRES_MS + 1)
    expect((await write('x')).replayed).toBe(false)
    expect(sends).toEqual(['x', 'x'])
  })

  test('gives way, oldest first, when there is no room for all', async () => {
    const { write, sends } = fixture(2 * (512 + 100))
    const answer = `{"a":"${'x'.repeat(92)}"}`
    for (const identity of ['x', 'y']) await write(identity, answer)
    expect((await write('x', answer)).replayed).toBe(true)
    await write('z', answer)
    expect((await write('y', answer)).replayed).toBe(true)
    expect((await write('z', answer)).replayed).toBe(true)
    const lost = await write('x', answer).catch((error: unknown) => error)
    expect(lost).toBeInstanceOf(Failure)
    expect(lost).toMatchObject({ code: 'outcome_unknown' })
    expect(sends).toEqual(['x', 'y', 'z'])
  })

  test('frees its room when it is forgotten', async () => {
    const { write, at } = fixture(2 * (512 + 2))
    await write('x')
    at(EXPIRES_MS + 1)
    for (const identity of ['y', 'z']) await write(identity)
    expect((await write('y')).replayed).toBe(true)
    expect((await write('z')).replayed).toBe(true)
  })
})

test('an identity is of a key and of a text', () => {
  const [one, other] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
  const identities = [
    writeIdentity(one, 'x'),
    writeIdentity(other, 'x'),
    writeIdentity(one, 'y'),
    writeIdentity(other, 'y'),
  ]
  expect(new Set(identities).size).toBe(4)
  expect(writeIdentity(one, 'x')).toBe(writeIdentity(new Uint8Array(32).fill(1), 'x'))
})

describe('a claim', () => {
  /** A ledger whose claims take their time or cannot be kept, and what became of them. */
  function claiming(claim: () => Promise<boolean>, peers: PeerOutcomes = NO_PEERS) {
    const events: string[] = []
    const store = {
      ...openSqlite(':memory:', 0).once,
      claim,
      release: async () => void events.push('released'),
    }
    const ledger = createWriteLedger({
      clock: { nowMs: () => 0 },
      store,
      answersMaxBytes: 10_000,
      peers,
    })
    const write = (attempt: Pick<WriteAttempt, 'goesUnclaimed' | 'assertFresh'>) =>
      ledger.once({
        identity: 'x',
        owner: 'a',
        claimant: 'a',
        isReducing: () => false,
        signature: new Uint8Array(64),
        signedAtMs: 1,
        expiresAtMs: EXPIRES_MS,
        certainlyNotDone: () => false,
        use: async () => null,
        send: async () => {
          events.push('sent')
          return scrub.text('{}', { audience: 'private' })
        },
        ...attempt,
      })
    return { write, events }
  }

  test('that took too long for its signature is given back, and nothing is sent', async () => {
    let isLate = false
    const { write, events } = claiming(async () => {
      isLate = true
      return true
    })
    const assertFresh = () => {
      if (isLate) throw new Failure('expired_signature')
    }
    await expect(write({ goesUnclaimed: false, assertFresh })).rejects.toMatchObject({
      code: 'expired_signature',
    })
    expect(events).toEqual(['released'])
  })

  test('that cannot be kept stops a write, but not one that goes out unclaimed', async () => {
    const { write, events } = claiming(async () => {
      throw new Failure('store_unavailable')
    })
    const assertFresh = () => undefined
    await expect(write({ goesUnclaimed: false, assertFresh })).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    expect(events).toEqual([])
    expect((await write({ goesUnclaimed: true, assertFresh })).replayed).toBe(false)
    expect(events).toEqual(['sent'])
  })

  test('that another has stops both', async () => {
    const { write, events } = claiming(async () => false)
    for (const goesUnclaimed of [false, true]) {
      await expect(write({ goesUnclaimed, assertFresh: () => undefined })).rejects.toMatchObject({
        code: 'outcome_unknown',
      })
    }
    expect(events).toEqual([])
  })

  test('that another has, and then nobody can look for, leaves unknown what was sent', async () => {
    const claims = [async () => false, () => Promise.reject(new Failure('store_unavailable'))]
    const { write, events } = claiming(() => claims.shift()?.() ?? Promise.resolve(true), {
      ...NO_PEERS,
      ended: async () => 'again',
    })
    await expect(
      write({ goesUnclaimed: false, assertFresh: () => undefined }),
    ).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect(events).toEqual([])
  })
})
