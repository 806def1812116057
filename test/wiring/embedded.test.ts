import { describe, expect, test } from 'bun:test'
import type { Store, UpstreamRequest } from '../../src/core/ports.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { openVenue } from '../../src/wiring/venue.ts'
import { running, settingsFolder } from '../settings-folder.ts'

const NOW_MS = 1_800_000_000_000
const CONFIG = read('/v1/public/config')

function read(path: string): UpstreamRequest {
  return { host: 'main', method: 'GET', path, headers: {}, lane: 'read', deadlineMs: 30_000 }
}

/** The embedded venue over a store that counts how often everything of a kind is read. */
async function openWatched(inner: Store, variables: Record<string, string> = {}) {
  using folder = settingsFolder()
  const { settings } = running(folder.invoke([], variables))
  const quiet = () => undefined
  const world = {
    clock: { nowMs: () => NOW_MS },
    monotonicMs: () => 0,
    random: { bytes: (length: number) => new Uint8Array(length) },
    log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
  }
  const loaded: string[] = []
  const load: Store['entities']['load'] = (kind) => {
    loaded.push(kind)
    return inner.entities.load(kind)
  }
  const venue = await openVenue(settings, world, {
    ...inner,
    entities: { ...inner.entities, load },
  })
  return { venue, loaded }
}

describe('an embedded venue', () => {
  test('that is new is not opened for what every venue answers, which is what it then answers itself', async () => {
    const store = openSqlite(':memory:', NOW_MS)
    const { venue, loaded } = await openWatched(store)
    const early = await venue.upstream.send(CONFIG)
    expect(loaded).toEqual(['venue-time'])
    await venue.whole()
    expect(loaded).toContain('announcement')
    expect(await venue.upstream.send(CONFIG)).toEqual(early)
    await venue.stop()
    store.close()
  })

  test('is opened once, by whoever asks anything else of it first', async () => {
    const store = openSqlite(':memory:', NOW_MS)
    const { venue, loaded } = await openWatched(store)
    const asked = ['/v1/public/system_info', '/v1/public/token', '/v1/public/config?x=1']
    const answers = await Promise.all(asked.map((path) => venue.upstream.send(read(path))))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(loaded.filter((kind) => kind === 'announcement')).toHaveLength(1)
    await venue.stop()
    store.close()
  })

  test('remembers when it was made, though nobody asks it anything', async () => {
    const store = openSqlite(':memory:', NOW_MS)
    const { venue } = await openWatched(store)
    const remembered = Array.from(store.entities.load('venue-time'), ({ key }) => key)
    expect(remembered).toEqual(['genesis', 'real-world'])
    await venue.stop()
    store.close()
  })

  test('of which nobody asked more before a restart is not opened by that either', async () => {
    const store = openSqlite(':memory:', NOW_MS)
    const before = await openWatched(store)
    await before.venue.upstream.send(CONFIG)
    await before.venue.stop()
    const { venue, loaded } = await openWatched(store)
    expect(loaded).toEqual(['venue-time'])
    await venue.whole()
    expect(loaded).toContain('announcement')
    await venue.stop()
    store.close()
  })

  test('that could not be opened for one who asked is opened for the next', async () => {
    const inner = openSqlite(':memory:', NOW_MS)
    let isBroken = true
    const load: Store['entities']['load'] = (kind) => {
      if (isBroken && kind === 'announcement') throw new RangeError('a broken disk')
      return inner.entities.load(kind)
    }
    const { venue } = await openWatched({ ...inner, entities: { ...inner.entities, load } })
    await expect(venue.upstream.send(read('/v1/public/token'))).rejects.toThrow('a broken disk')
    isBroken = false
    expect((await venue.upstream.send(read('/v1/public/token'))).status).toBe(200)
    await venue.stop()
    inner.close()
  })

  test('is opened at once where something is stored that could not be read', async () => {
    const store = openSqlite(':memory:', NOW_MS)
    store.entities.commit([{ kind: 'announcement', key: '1', json: 'not JSON' }])
    await expect(openWatched(store)).rejects.toThrow(SyntaxError)
    store.close()
  })

  test('is opened at once where its time is its own', async () => {
    const store = openSqlite(':memory:', NOW_MS)
    const { venue, loaded } = await openWatched(store, { PREPD_VENUE_CLOCK: 'virtual' })
    expect(loaded).toContain('announcement')
    expect(venue.clock.nowMs()).not.toBe(NOW_MS)
    await venue.stop()
    store.close()
  })
})
