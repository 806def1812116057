import { expect, test } from 'bun:test'
import { createWorld } from '../../../src/simulator/engine/run.ts'
import { barRow, createMinuteArchive } from '../../../src/simulator/history/minute-archive.ts'
import { MARKETS } from '../../../src/simulator/listing/instruments.ts'
import { emptyBar, foldTrade } from '../../../src/simulator/past/bar.ts'
import { openVenueFile } from '../../../src/store/entity-file.ts'

const MINUTES_A_DAY = 1440
const MINUTE_MS = 60_000
const KIND = 'engine-minutes PERP_BTC_USDC 3'

/** A day of minutes whose prices wander. */
function dayOfMinutes() {
  return Array.from({ length: MINUTES_A_DAY }, (_, at) => {
    const bar = emptyBar()
    for (let trade = 0; trade < 4; trade += 1) {
      const price = 600_000 + ((at * 7919 + trade * 104_729) % 1000)
      foldTrade(bar, at * MINUTE_MS + trade * 9000, price, 1 + ((at * 31 + trade) % 97))
    }
    return bar
  })
}

test('a finished day of minutes is stored compressed and read as it was, as are days that earlier versions stored', () => {
  const entities = openVenueFile(':memory:')
  const listed = [...MARKETS.values()].filter(({ base }) => base === 'BTC')
  const prices = { kind: 'seeded' } as const
  const world = createWorld({ seed: 1, beginsAtMs: 0, prices, listed, populate: false })
  const minutes = dayOfMinutes()
  world.scenes[0]?.history.finished.push({ day: 3, minutes, dropped: null })
  createMinuteArchive(entities, world).put()
  const [stored] = entities.load(KIND)
  const plain = JSON.stringify(minutes.map(barRow))
  expect(stored?.json.length).toBeLessThan(plain.length / 2)
  const read = () => [...createMinuteArchive(entities, world).of('PERP_BTC_USDC')(3).values()]
  expect(read()).toEqual(minutes)
  entities.commit([{ kind: KIND, key: 'minutes', json: plain }])
  expect(read()).toEqual(minutes)
})

test('days that end together are stored few at a time, and are read as they were before that', () => {
  const entities = openVenueFile(':memory:')
  const prices = { kind: 'seeded' } as const
  const world = createWorld({ seed: 1, beginsAtMs: 0, prices, populate: false })
  const minutes = dayOfMinutes()
  for (const { history } of world.scenes) history.finished.push({ day: 3, minutes, dropped: null })
  const archive = createMinuteArchive(entities, world)
  const symbols = world.scenes.map(({ market }) => market.spec.symbol)
  const stored = () =>
    symbols.filter((symbol) => [...entities.load(`engine-minutes ${symbol} 3`)].length > 0)
  expect(archive.put()).toBe(false)
  const first = stored()
  expect(first.length).toBeLessThan(symbols.length / 4)
  for (const symbol of [first.at(-1), symbols.at(-1)])
    expect([
      ...archive
        .of(symbol ?? '')(3)
        .values(),
    ]).toEqual(minutes)
  expect([
    ...archive
      .of(symbols.at(-1) ?? '')(2)
      .values(),
  ]).toEqual([])
  while (!archive.put());
  expect(stored()).toEqual(symbols)
})

test('a day that could not be stored stays in memory, and is stored later', () => {
  const entities = openVenueFile(':memory:')
  const listed = [...MARKETS.values()].filter(({ base }) => base === 'BTC')
  const prices = { kind: 'seeded' } as const
  const world = createWorld({ seed: 1, beginsAtMs: 0, prices, listed, populate: false })
  const minutes = dayOfMinutes()
  for (const day of [3, 4]) world.scenes[0]?.history.finished.push({ day, minutes, dropped: null })
  const archive = createMinuteArchive(entities, world)
  const full = () => {
    throw new Error('the disk is full')
  }
  expect(() => archive.putAll({ commit: full })).toThrow('the disk is full')
  expect(world.scenes[0]?.history.finished.map(({ day }) => day)).toEqual([3, 4])
  expect(archive.put()).toBe(true)
  for (const day of [3, 4])
    expect([...entities.load(`engine-minutes PERP_BTC_USDC ${day}`)]).toHaveLength(1)
})
