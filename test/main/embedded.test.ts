import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UpstreamRequest } from '../../src/core/ports.ts'
import { openVenue } from '../../src/main/venue.ts'
import { openVenueFile } from '../../src/store/entity-file.ts'
import { running, settingsFolder } from '../settings-folder.ts'
import { CHEAP_WORLD_VARIABLES } from '../target.ts'

const NOW_MS = 1_800_000_000_000

const FOLDER = mkdtempSync(join(tmpdir(), 'prepd-embedded-'))
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }))

/** The path of a gateway's store in a new data directory. */
const newPath = () => join(mkdtempSync(join(FOLDER, 'data-')), 'prepd.sqlite')
const venuePath = (path: string) => join(path, '../venue.sqlite')

async function open(path: string, variables: Record<string, string> = {}) {
  using folder = settingsFolder()
  const { settings } = running(folder.invoke([], { ...CHEAP_WORLD_VARIABLES, ...variables }))
  const quiet = () => undefined
  const world = {
    clock: { nowMs: () => NOW_MS },
    monotonicMs: () => 0,
    random: { bytes: (length: number) => new Uint8Array(length) },
    log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
  }
  return openVenue(settings, world, path)
}

function read(path: string): UpstreamRequest {
  return { host: 'main', method: 'GET', path, headers: {}, lane: 'read', deadlineMs: 30_000 }
}

describe('an embedded venue', () => {
  test('answers from its start, and remembers in its file when it was made', async () => {
    const path = newPath()
    const venue = await open(path)
    expect((await venue.upstream.send(read('/v1/public/config'))).status).toBe(200)
    await venue.stop()
    const file = openVenueFile(venuePath(path))
    const remembered = Array.from(file.load('venue-time'), ({ key }) => key)
    expect(remembered).toEqual(['genesis', 'real-world'])
    file.close()
  })

  test('does not start where something is stored that could not be read, and names its file', async () => {
    const path = newPath()
    const file = openVenueFile(venuePath(path))
    file.commit([{ kind: 'announcement', key: '1', json: 'not JSON' }])
    file.close()
    await expect(open(path)).rejects.toThrow(`${venuePath(path)} cannot be used`)
    // What did not start holds nothing back.
    openVenueFile(venuePath(path)).close()
  })

  test('has a time of its own, which only then can be moved', async () => {
    const virtual = await open(newPath(), { PREPD_VENUE_CLOCK: 'virtual' })
    expect(virtual.clock.nowMs()).not.toBe(NOW_MS)
    const startMs = virtual.clock.nowMs()
    const caller = { by: 'operator' } as const
    const steps = await virtual.advance?.([{ ms: 1000 }], caller, new AbortController().signal)
    expect(steps).toMatchObject([{ advancedMs: 1000, ended: 'time' }])
    expect(virtual.clock.nowMs()).toBe(startMs + 1000)
    await virtual.stop()
    const real = await open(newPath())
    expect([real.clock.nowMs(), real.advance]).toEqual([NOW_MS, null])
    await real.stop()
  })
})
