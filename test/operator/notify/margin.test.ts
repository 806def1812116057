import { expect, test } from 'bun:test'
import { HOUR_MS, MINUTE_MS } from '../../../src/contract/durations.ts'
import { CALM, openNotifier } from './fixture.ts'

type World = ReturnType<typeof openNotifier>
type Figure = (world: World) => (value: number) => void

const GIB = 2 ** 30

/** A gauge that the test sets. */
function gauge(name: Parameters<World['meter']['reading']>[0], first: number): Figure {
  return ({ meter }) => {
    let value = first
    meter.reading(name, () => value)
    return (next) => {
      value = next
    }
  }
}

/** A figure of the last minute's requests. */
function lately(name: 'slowestMs' | 'loopDelayMs'): Figure {
  return ({ world }) =>
    (value) => {
      world.lately = { ...CALM, [name]: value }
    }
}

/** Beyond the threshold, on its safe side but close to it, and the first figure that ends the notice. */
test.each([
  ['clock_skew', gauge('prepd_venue_clock_skew_seconds', 0), 31, 25, 24],
  ['clock_skew', gauge('prepd_venue_clock_skew_seconds', 0), -31, -25, -24],
  ['disk_low', gauge('prepd_data_free_bytes', 2 * GIB), GIB - 1, 1.25 * GIB - 1, 1.25 * GIB],
  ['voucher_cap_near', gauge('prepd_voucher_cap_used_ratio', 0), 0.81, 0.65, 0.64],
  ['requests_slow', lately('slowestMs'), 1001, 801, 800],
  ['process_busy', lately('loopDelayMs'), 101, 81, 80],
] as const)(
  '%s near its threshold sends one notice, and its end when it is well past',
  async (name, figure, beyond, near, past) => {
    const world = openNotifier()
    const set = figure(world)
    const states = () => world.notices().map((notice) => `${notice['name']} ${notice['state']}`)
    set(near)
    await world.pass(20 * MINUTE_MS)
    expect(states()).toEqual([])
    for (let round = 0; round < 3; round += 1) {
      for (const value of [beyond, near]) {
        set(value)
        await world.pass(6 * MINUTE_MS)
        expect(world.judge.look(world.world.nowMs, null).filter(({ holds }) => holds)).toHaveLength(
          value === beyond ? 1 : 0,
        )
      }
    }
    expect(states()).toEqual([`${name} begun`])
    set(past)
    await world.pass(MINUTE_MS)
    expect(states()).toEqual([`${name} begun`, `${name} over`])
  },
)

test('a disk that is nearly full pages once while its free space moves around 64 MiB', async () => {
  const world = openNotifier()
  const set = gauge('prepd_data_free_bytes', 2 * GIB)(world)
  const pages = () => world.notices().filter((notice) => notice['name'] === 'disk_full').length
  for (const mib of [63, 79, 63, 79, 63]) {
    set(mib * 2 ** 20)
    await world.pass(MINUTE_MS)
  }
  expect(pages()).toBe(1)
  set(80 * 2 ** 20)
  await world.pass(MINUTE_MS)
  set(63 * 2 ** 20)
  await world.pass(MINUTE_MS)
  expect(pages()).toBe(2)
})

test('a notice that an earlier process sent stays open near its threshold', async () => {
  const before = openNotifier()
  gauge('prepd_venue_clock_skew_seconds', 31)(before)
  await before.pass(MINUTE_MS)
  const next = openNotifier(undefined, before.store, '1.0', null, before.world.nowMs)
  const set = gauge('prepd_venue_clock_skew_seconds', 25)(next)
  await next.pass(HOUR_MS)
  expect(next.notices()).toEqual([])
  set(0)
  await next.pass(MINUTE_MS)
  expect(next.notices()).toMatchObject([{ name: 'clock_skew', state: 'over' }])
})
