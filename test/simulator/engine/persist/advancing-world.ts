import { writeSync } from 'node:fs'
import type { EntityStore } from '../../../../src/core/ports.ts'
import { worldHash } from '../../../../src/simulator/engine/check.ts'
import {
  type Engine,
  type EngineOptions,
  openEngine,
} from '../../../../src/simulator/engine/engine.ts'
import { MARKETS } from '../../../../src/simulator/listing/instruments.ts'
import { openVenueFile } from '../../../../src/store/entity-file.ts'
import { failed } from '../../failed.ts'
import { WORLD_START_MS } from '../worlds.ts'

/**
 * A world of three markets with an order flow that is saved again and again while it advances. As a program: it advances
 * the world in a file, and kills its process at a commit of a save: `bun advancing-world.ts PATH COMMIT`.
 */

const listed = [...MARKETS.values()].filter(({ base }) => ['BTC', 'ETH', 'SOL'].includes(base))
/** Saves follow each other closely, and only a few events happen between two steps of a save. */
const SAVED_EVERY = { events: 3000, requests: 1_000_000 }
const EVENTS_PER_SLICE = 50

export function openAdvancing(entities: EntityStore, parts: Partial<EngineOptions> = {}): Engine {
  const prices = { kind: 'seeded' } as const
  return openEngine({
    initialState: { seed: 1, beginsAtMs: WORLD_START_MS, prices, listed, activity: 'calm' },
    entities,
    savedEvery: SAVED_EVERY,
    journals: [],
    failed,
    ...parts,
  })
}

/** Advances by a few events, and commits as a venue does. */
export function advanceSlice(engine: Engine): void {
  let left = EVENTS_PER_SLICE
  engine.advance(Number.POSITIVE_INFINITY, () => {
    left -= 1
    return left <= 0
  })
  engine.commit()
  engine.saveWhenDue()
}

/** A store that calls a function after each of its commits. */
export function watchCommits(entities: EntityStore, committed: () => void): EntityStore {
  const commit: EntityStore['commit'] = (changes) => {
    entities.commit(changes)
    committed()
  }
  return { ...entities, commit }
}

/** The number of events so far, and the hash of the world. */
export function progress({ world }: Engine) {
  return { events: world.counts.events, hash: worldHash(world) }
}

if (import.meta.main) {
  const [path = '', last = ''] = process.argv.slice(2)
  const entities = openVenueFile(path)
  let commits = 0
  const direct = watchCommits(entities, () => {
    commits += 1
    if (commits < Number(last)) return
    writeSync(1, JSON.stringify(progress(engine)))
    process.kill(process.pid, 'SIGKILL')
  })
  const engine = openAdvancing(entities, { direct })
  for (;;) advanceSlice(engine)
}
