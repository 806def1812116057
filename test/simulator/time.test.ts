import { describe, expect, test } from 'bun:test'
import { openVenueTime } from '../../src/simulator/time.ts'
import { openVenueFile } from '../../src/store/entity-file.ts'

const START_MS = Date.UTC(2027, 4, 1, 10, 30)
const HOUR_MS = 3_600_000

/** A time on a store of its own, whose wall is moved by hand; opened as often as wanted. */
function openWall() {
  const entities = openVenueFile(':memory:')
  let wallMs = Date.UTC(2026, 10, 21)
  return {
    entities,
    sleep: (ms: number) => {
      wallMs += ms
    },
    wallMs: () => wallMs,
    open: (kind: 'real' | 'virtual', startMs = START_MS) =>
      openVenueTime({
        ...{ kind, startMs, entities },
        wall: { nowMs: () => wallMs },
        monotonicMs: () => wallMs,
      }),
  }
}

describe('virtual time', () => {
  test('begins where it is told to, its world on the hour before, and stands still until it is moved', () => {
    const wall = openWall()
    const time = wall.open('virtual')
    expect(time).toMatchObject({
      madeAtMs: START_MS - HOUR_MS / 2,
      beginsAtMs: START_MS - HOUR_MS / 2,
    })
    wall.sleep(HOUR_MS)
    time.tick()
    expect(time.clock.nowMs()).toBe(START_MS)
    time.advance?.(1500)
    expect(time.clock.nowMs()).toBe(START_MS + 1500)
  })

  test('goes on after a restart where it stopped, whatever the setting then says', () => {
    const wall = openWall()
    wall.open('virtual').advance?.(1500)
    const again = wall.open('virtual', 0)
    expect(again.clock.nowMs()).toBe(START_MS + 1500)
    expect(again.madeAtMs).toBe(START_MS - HOUR_MS / 2)
  })

  test('runs so many times as fast as the wall, and is not in two places after a restart', () => {
    const wall = openWall()
    const time = wall.open('virtual')
    time.run?.(60)
    for (let second = 0; second < 10; second++) {
      wall.sleep(1000)
      time.tick()
    }
    expect(time.clock.nowMs()).toBe(START_MS + 600_000)
    expect(time.times()).toBe(60)
    time.advance?.(0)
    const again = wall.open('virtual')
    expect(again.clock.nowMs()).toBe(START_MS + 600_000)
    expect(again.times()).toBe(60)
    again.run?.(0)
    wall.sleep(1000)
    again.tick()
    expect(again.clock.nowMs()).toBe(START_MS + 600_000)
  })

  test('does not make up for a machine that slept', () => {
    const wall = openWall()
    const time = wall.open('virtual')
    time.run?.(2)
    wall.sleep(HOUR_MS)
    time.tick()
    expect(time.clock.nowMs()).toBeLessThan(START_MS + 60_000)
  })

  test('is never behind what its world has seen', () => {
    const time = openWall().open('virtual')
    time.reach(START_MS + 5000)
    time.reach(START_MS + 4000)
    expect(time.clock.nowMs()).toBe(START_MS + 5000)
  })
})

describe('a world of a real clock', () => {
  test('begins a few seconds before it is made, and keeps that at every start', () => {
    const wall = openWall()
    wall.sleep(58 * 60_000 + 41_500)
    const { madeAtMs, beginsAtMs } = wall.open('real')
    expect(madeAtMs).toBe(wall.wallMs() - (58 * 60_000 + 41_500))
    expect(beginsAtMs).toBe(wall.wallMs() - 3500)
    wall.sleep(HOUR_MS)
    expect(wall.open('real')).toMatchObject({ madeAtMs, beginsAtMs })
  })

  test('does not begin before the hour from which the history of its venue counts', () => {
    const wall = openWall()
    wall.sleep(1000)
    const { madeAtMs, beginsAtMs } = wall.open('real')
    expect(beginsAtMs).toBe(madeAtMs)
  })

  test('keeps the hour on which an earlier release began it', () => {
    const wall = openWall()
    const hourMs = wall.wallMs()
    const stored = ['genesis', 'real-world'].map((key) => {
      return { kind: 'venue-time', key, json: String(hourMs) }
    })
    wall.entities.commit(stored)
    wall.sleep(HOUR_MS / 2)
    expect(wall.open('real')).toMatchObject({ madeAtMs: hourMs, beginsAtMs: hourMs })
  })
})

test('real time is the wall, and nobody moves it', () => {
  const wall = openWall()
  const time = wall.open('real')
  expect(time).toMatchObject({ advance: null, run: null })
  wall.sleep(77)
  time.tick()
  time.reach(wall.wallMs() + 1_000_000)
  expect(time.clock.nowMs()).toBe(wall.wallMs())
  expect(time.times()).toBe(1)
})
