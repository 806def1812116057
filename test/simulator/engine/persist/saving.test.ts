import { describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EntityStore } from '../../../../src/core/ports.ts'
import { worldHash } from '../../../../src/simulator/engine/check.ts'
import {
  type Engine,
  type EngineOptions,
  openEngine,
} from '../../../../src/simulator/engine/engine.ts'
import { isReadableWorld } from '../../../../src/simulator/engine/persist/log.ts'
import { MARKETS } from '../../../../src/simulator/listing/instruments.ts'
import { openVenueFile } from '../../../../src/store/entity-file.ts'
import { failed } from '../../failed.ts'
import { WORLD_START_MS } from '../worlds.ts'
import { watchCommits } from './advancing-world.ts'

const listed = [...MARKETS.values()].filter(({ base }) => base === 'BTC')
const prices = { kind: 'seeded' } as const
const initialState = {
  seed: 1,
  beginsAtMs: WORLD_START_MS,
  prices,
  listed,
  populate: false,
} as const
const ACCOUNTS = 600
/** As many requests as a world is left with unsaved. */
const REQUESTS = 1000
const SAVE_STEPS_MAX = 60
const savedEvery = { events: 250_000, requests: REQUESTS }

const open = (entities: EntityStore, parts: Partial<EngineOptions> = {}) =>
  openEngine({ initialState, entities, savedEvery, journals: [], failed, ...parts })

const fresh = () => join(mkdtempSync(join(tmpdir(), 'saving-')), 'world.sqlite')

/** Accounts with some money each, so that a world is several parts long. */
function settle(engine: Engine): void {
  for (let at = 0; at < ACCOUNTS; at++) {
    engine.submit('open', { key: `user ${at}`, leverage: 10 }, WORLD_START_MS)
  }
  for (let at = 0; at < REQUESTS; at++) pay(engine, at % ACCOUNTS)
  engine.commit()
}

function pay(engine: Engine, user: number): void {
  const account = engine.world.exchange.byKey.get(`user ${user}`)?.number ?? -1
  engine.submit('deposit', { account, amount: 1_000_000 }, engine.world.nowMs + 1)
}

const rowsOf = (entities: EntityStore, kind: string) => [...entities.load(kind)]

/** What a start would find, if the process were killed now. */
function killed(path: string): EntityStore {
  const copy = fresh()
  for (const end of ['', '-wal', '-shm'])
    if (existsSync(path + end)) copyFileSync(path + end, copy + end)
  return openVenueFile(copy)
}

const DISK_FULL = new Error('disk full')

/** Takes more steps than a save of these worlds has. */
function saveInSteps(engine: Engine, between: () => void = () => undefined): void {
  for (let step = 0; step < SAVE_STEPS_MAX; step++) {
    engine.saveWhenDue()
    between()
  }
}

describe('a world that is stored, a part a transaction,', () => {
  // Slow: the world is opened anew after most of its commits.
  test('is the same world after a kill between any two, and what is paid meanwhile is there as well', () => {
    const path = fresh()
    const entities = openVenueFile(path)
    let look: () => void = () => undefined
    const engine = open(entities, { direct: watchCommits(entities, () => look()) })
    settle(engine)
    engine.save()
    for (const round of [1, 2]) {
      for (let at = 0; at < REQUESTS; at++) pay(engine, at % ACCOUNTS)
      engine.commit()
      const seen = new Set<string>()
      let steps = 0
      look = () => {
        steps += 1
        const table = rowsOf(entities, 'engine-snapshot')[0]?.json ?? ''
        const isNew = !seen.has(table)
        seen.add(table)
        // Every step until the new snapshot is the one, and some of those that clear up after it.
        if (seen.size > 1 && !isNew && steps % 4 !== 0) return
        const current = worldHash(engine.world)
        const again = open(killed(path))
        expect(worldHash(again.world)).toBe(current)
        pay(again, 1)
        again.commit()
        expect(worldHash(again.world)).not.toBe(current)
      }
      let paid = 0
      saveInSteps(engine, () => {
        if (steps === 0 || seen.size > 1) return
        pay(engine, round)
        engine.commit()
        paid += 1
      })
      expect(seen.size).toBe(2)
      expect(paid).toBeGreaterThan(2)
      expect(rowsOf(entities, 'engine-request')).toHaveLength(paid)
      look = () => undefined
      expect(worldHash(open(killed(path)).world)).toBe(worldHash(engine.world))
    }
  })

  test('leaves nothing of one that was cut short, once it is stored again', () => {
    const path = fresh()
    const file = openVenueFile(path)
    let commits = 0
    const direct = watchCommits(file, () => {
      commits += 1
      if (commits === 2) throw DISK_FULL
    })
    const errors: unknown[] = []
    const engine = open(file, { direct, failed: (error) => errors.push(error) })
    settle(engine)
    while (errors.length === 0) engine.saveWhenDue()
    expect(errors).toEqual([DISK_FULL])
    const entities = killed(path)
    expect(rowsOf(entities, 'engine-snapshot')[0]?.json).toContain('"end":0')
    expect(rowsOf(entities, 'engine-part').length).toBe(2)
    const again = open(entities)
    again.save()
    const whole = openVenueFile(':memory:')
    const straight = open(whole)
    settle(straight)
    straight.save()
    const texts = (store: EntityStore) => rowsOf(store, 'engine-part').map(({ json }) => json)
    expect(texts(entities)).toEqual(texts(whole))
    expect(worldHash(open(entities).world)).toBe(worldHash(engine.world))
  })

  test('and is not taken by the store goes on, with one report, and is stored the next time', () => {
    const entities = openVenueFile(':memory:')
    let isBroken = true
    const direct = watchCommits(entities, () => {
      if (isBroken) throw DISK_FULL
    })
    const reports: unknown[] = []
    const engine = open(entities, { direct, failed: (error) => reports.push(error) })
    settle(engine)
    while (reports.length === 0) engine.saveWhenDue()
    expect(reports).toEqual([DISK_FULL])
    pay(engine, 3)
    engine.commit()
    expect(worldHash(open(entities).world)).toBe(worldHash(engine.world))
    isBroken = false
    saveInSteps(engine)
    expect(reports.length).toBe(1)
    expect(rowsOf(entities, 'engine-request')).toEqual([])
    expect(worldHash(open(entities).world)).toBe(worldHash(engine.world))
  })

  test('is not stored before much has happened', () => {
    const entities = openVenueFile(':memory:')
    const engine = open(entities)
    engine.submit('open', { key: 'user 0', leverage: 10 }, WORLD_START_MS)
    engine.commit()
    engine.saveWhenDue()
    expect(rowsOf(entities, 'engine-part')).toEqual([])
  })
})

describe('a stored world', () => {
  function settled(): { readonly engine: Engine; readonly entities: EntityStore } {
    const entities = openVenueFile(':memory:')
    const engine = open(entities)
    settle(engine)
    return { engine, entities }
  }

  const REFUSED: Readonly<Record<string, readonly (readonly [kind: string, json: string])[]>> = {
    'of versions 1 and 2, a text in pieces': [
      ['engine-snapshot', '{"world":{"version":2,"seed":1'],
      ['engine-snapshot', '}}'],
    ],
    'of version 1 in one piece': [['engine-snapshot', '{"world":{"version":1},"kept":{}}']],
    'of version 3': [
      ['engine-snapshot', '{"world":{"version":3},"first":0,"end":1,"requestsTo":0}'],
      ['engine-part', '[]'],
    ],
    'of version 5, with one margin mode per market': [
      ['engine-snapshot', '{"world":{"version":5},"first":0,"end":0,"requestsTo":0}'],
    ],
    'of a later version': [
      ['engine-snapshot', '{"world":{"version":8},"first":0,"end":0,"requestsTo":0}'],
    ],
    'that was never saved, before version 4': [['engine-request', '{"kind":"open"}']],
    'of before there were requests': [['account', '{"holding":"1"}']],
    'of another order flow': [
      ['venue-activity', '"lively-past"'],
      ['engine-snapshot', '{"world":{"version":6},"first":0,"end":0,"requestsTo":0}'],
    ],
  }

  test.each(Object.entries(REFUSED))('%s is refused, and left as it is', (_, rows) => {
    const entities = openVenueFile(':memory:')
    const changes = rows.map(([kind, json], at) => ({ kind, key: String(at), json }))
    entities.commit(changes)
    expect(isReadableWorld(entities, true)).toBe(false)
    expect(() => open(entities)).toThrow('a world of another version')
    for (const kind of entities.kinds())
      expect(rowsOf(entities, kind)).toEqual(
        changes.filter((row) => row.kind === kind).map(({ key, json }) => ({ key, json })),
      )
  })

  test('is readable from its first request on, and a store without a world before it', () => {
    const entities = openVenueFile(':memory:')
    expect(isReadableWorld(entities, true)).toBe(true)
    const engine = open(entities)
    engine.commit()
    expect(entities.kinds()).toEqual([])
    engine.submit('open', { key: 'user 0', leverage: 10 }, WORLD_START_MS)
    engine.commit()
    expect(isReadableWorld(entities, true)).toBe(true)
    expect(worldHash(open(entities).world)).toBe(worldHash(engine.world))
    // An older program read this row as a snapshot of its own version.
    expect(rowsOf(entities, 'engine-snapshot')[0]?.json).not.toContain('"version":3')
  })

  test('that lacks a part is refused, and not taken for a smaller world', () => {
    const { engine, entities } = settled()
    engine.save()
    const [, second] = rowsOf(entities, 'engine-part')
    entities.commit([{ kind: 'engine-part', key: second?.key ?? '', json: null }])
    expect(() => open(entities)).toThrow('a snapshot lacks a part')
  })
})
