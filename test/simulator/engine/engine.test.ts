import { describe, expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EntityStore } from '../../../src/core/ports.ts'
import { checkExchange, worldHash } from '../../../src/simulator/engine/check.ts'
import { type Engine, openEngine } from '../../../src/simulator/engine/engine.ts'
import type { EngineJournal } from '../../../src/simulator/history/journal.ts'
import { MARKETS } from '../../../src/simulator/listing/instruments.ts'
import { PLAIN_ORDER } from '../../../src/simulator/orders/request.ts'
import { Rejection } from '../../../src/simulator/state/rejections.ts'
import { BUY, SELL } from '../../../src/simulator/state/state.ts'
import { openVenueFile } from '../../../src/store/entity-file.ts'
import { failed } from '../failed.ts'
import { WORLD_START_MS } from './worlds.ts'

const MINUTE_MS = 60_000
const listed = [...MARKETS.values()].filter(({ base }) => ['BTC', 'SUI'].includes(base))
const initialState = {
  seed: 1,
  beginsAtMs: WORLD_START_MS,
  prices: { kind: 'seeded' },
  listed,
} as const

function open(entities: EntityStore, journals: readonly EngineJournal[] = []): Engine {
  return openEngine({ initialState, entities, journals, failed })
}

/** A user who buys, sells, edits and cancels, a request a minute. */
function trade(engine: Engine, fromMinute: number, toMinute: number): void {
  const at = (minute: number) => WORLD_START_MS + minute * MINUTE_MS
  if (fromMinute === 1) {
    engine.submit('open', { key: 'user', leverage: 10 }, at(0))
    const account = accountOf(engine)
    engine.submit('deposit', { account, amount: 5_000_000_000 }, at(0))
  }
  const account = accountOf(engine)
  for (let minute = fromMinute; minute <= toMinute; minute++) {
    const [market] = engine.world.exchange.markets
    const side = minute % 3 === 0 ? SELL : BUY
    const price = (market?.mark ?? 0) - side * (minute % 40)
    const order = {
      ...PLAIN_ORDER,
      account,
      market: 0,
      side,
      price,
      quantity: 100 + minute,
    } as const
    const placed = engine.submit('place', order, at(minute))
    if (minute % 4 === 0 && !(placed instanceof Rejection))
      engine.submit('cancel', { account, order: placed.id }, at(minute) + 500)
    engine.commit()
  }
}

function accountOf({ world }: Engine): number {
  return world.exchange.byKey.get('user')?.number ?? -1
}

describe('a world in a store', () => {
  test('is after any restart what it would be without one', () => {
    const straight = open(openVenueFile(':memory:'))
    trade(straight, 1, 90)
    const path = join(mkdtempSync(join(tmpdir(), 'engine-')), 'world.sqlite')
    for (const [from, to] of [
      [1, 30],
      [31, 31],
      [32, 90],
    ] as const) {
      const store = openVenueFile(path)
      const engine = open(store)
      trade(engine, from, to)
      if (to === 31) engine.save()
      // Closed without a word to the engine, as a kill would.
      store.close()
    }
    const store = openVenueFile(path)
    const again = open(store)
    expect(worldHash(again.world)).toBe(worldHash(straight.world))
    expect(checkExchange(again.world.exchange)).toEqual([])
    store.close()
  })

  test('forgets what was never committed, and nothing else', () => {
    const entities = openVenueFile(':memory:')
    const engine = open(entities)
    trade(engine, 1, 5)
    const before = worldHash(engine.world)
    engine.submit('deposit', { account: accountOf(engine), amount: 1 }, engine.world.nowMs)
    expect(worldHash(engine.world)).not.toBe(before)
    expect(worldHash(open(entities).world)).toBe(before)
  })

  test('keeps its requests when the store fails, for the next commit', () => {
    const entities = openVenueFile(':memory:')
    let isBroken = false
    const failing: EntityStore = {
      ...entities,
      commit: (changes) => {
        if (isBroken) throw new Error('disk full')
        entities.commit(changes)
      },
    }
    const engine = open(failing)
    trade(engine, 1, 3)
    isBroken = true
    expect(() => trade(engine, 4, 4)).toThrow('disk full')
    isBroken = false
    engine.commit()
    expect(worldHash(open(entities).world)).toBe(worldHash(engine.world))
  })

  test('a request about nobody throws, and is not in the log', () => {
    const entities = openVenueFile(':memory:')
    const engine = open(entities)
    expect(() => engine.submit('deposit', { account: 99_999, amount: 1 }, WORLD_START_MS)).toThrow(
      RangeError,
    )
    engine.commit()
    expect(() => open(entities)).not.toThrow()
  })

  test('restores the state of its journals', () => {
    const entities = openVenueFile(':memory:')
    const engine = open(entities, [counter()])
    trade(engine, 1, 5)
    engine.save()
    trade(engine, 6, 9)
    const again = counter()
    open(entities, [again])
    const whole = counter()
    trade(open(openVenueFile(':memory:'), [whole]), 1, 9)
    expect(again.save()).toEqual(whole.save())
    expect(Number(again.save())).toBeGreaterThan(5)
  })
})

/** Remembers how many matches there were. */
function counter(): EngineJournal {
  let matches = 0
  return {
    name: 'counter',
    observer: {
      matched: () => {
        matches += 1
      },
    },
    save: () => matches,
    load: (saved) => {
      matches = Number(saved)
    },
  }
}
