import { describe, expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engine } from '../../../../src/simulator/engine/engine.ts'
import { openLog } from '../../../../src/simulator/engine/persist/log.ts'
import { treeParts } from '../../../../src/simulator/engine/persist/parts.ts'
import {
  type StoredWorld,
  storedSnapshot,
} from '../../../../src/simulator/engine/persist/restore.ts'
import { openVenueFile } from '../../../../src/store/entity-file.ts'
import { advanceSlice, openAdvancing, progress, watchCommits } from './advancing-world.ts'

const PROGRAM = new URL('./advancing-world.ts', import.meta.url).pathname

/** Advances a reopened world to a number of events. */
function advanceTo(engine: Engine, events: number): Engine {
  engine.advance(Number.POSITIVE_INFINITY, () => engine.world.counts.events >= events)
  return engine
}

/** A world in a store, advanced until some saves are stored. */
function savedWorld() {
  const entities = openVenueFile(':memory:')
  let commits = 0
  const direct = watchCommits(entities, () => {
    commits += 1
  })
  const engine = openAdvancing(entities, { direct })
  return { entities, engine, commits: () => commits }
}

describe('a world that is saved while it advances', () => {
  // Slow: each case runs a program until it kills itself.
  test.each([1, 2, 5, 13, 34, 60, 90])(
    'is the same world after SIGKILL at commit %d of its saves',
    async (commit) => {
      const path = join(mkdtempSync(join(tmpdir(), 'advancing-')), 'world.sqlite')
      const child = Bun.spawn([process.execPath, PROGRAM, path, String(commit)], { stdout: 'pipe' })
      const before = JSON.parse(await child.stdout.text())
      await child.exited
      expect(child.signalCode).toBe('SIGKILL')
      const again = openAdvancing(openVenueFile(path))
      expect(again.world.counts.events).toBeLessThanOrEqual(before.events)
      expect(progress(advanceTo(again, before.events))).toEqual(before)
      // The next save cleans up after the unfinished one.
      again.save()
      const third = openAdvancing(openVenueFile(path))
      expect(progress(third)).toEqual(before)
    },
  )

  test('is stored as of one moment, in many short steps between which it goes on', () => {
    const { entities, engine, commits } = savedWorld()
    const eventsAt: number[] = []
    for (let seen = 0; commits() < 100; ) {
      advanceSlice(engine)
      if (commits() > seen) eventsAt.push(engine.world.counts.events)
      seen = commits()
    }
    expect(new Set(eventsAt).size).toBeGreaterThan(50)
    const again = openAdvancing(entities)
    expect(again.world.counts.events).toBeGreaterThan(0)
    expect(again.world.counts.events).toBeLessThan(engine.world.counts.events)
    const now = progress(engine)
    expect(progress(advanceTo(again, now.events))).toEqual(now)
  })

  test('stands still while its state is copied, unless a request comes', () => {
    const { engine } = savedWorld()
    const { world } = engine
    const isBlocked = () => {
      const before = world.counts.events
      return !engine.advance(world.nowMs + 60_000, () => true) && world.counts.events === before
    }
    while (!isBlocked()) {
      engine.commit()
      engine.saveWhenDue()
    }
    // A request also lets the events happen that are due at its time.
    engine.submit('open', { key: 'user', leverage: 10 }, world.nowMs)
    const before = world.counts.events
    expect(engine.advance(world.nowMs + 60_000, () => true)).toBe(false)
    expect(world.counts.events).toBe(before + 1)
  })

  test('that version 6 stored opens as the same world', () => {
    const { entities, engine } = savedWorld()
    advanceTo(engine, 5000)
    engine.commit()
    engine.save()
    const { kept, ...stored } = Object(
      openLog(entities, entities, true).snapshot,
    ) as StoredWorld & {
      readonly kept: unknown
    }
    const earlier = openVenueFile(':memory:')
    const parts = [...treeParts({ world: storedSnapshot(stored), kept })]
    earlier.commit(
      parts.map((json, at) => ({ kind: 'engine-part', key: String(at).padStart(15, '0'), json })),
    )
    const json = JSON.stringify({
      world: { version: 6 },
      first: 0,
      end: parts.length,
      requestsTo: 0,
    })
    earlier.commit([{ kind: 'engine-snapshot', key: '0'.repeat(15), json }])
    expect(progress(openAdvancing(earlier))).toEqual(progress(engine))
  })
})
