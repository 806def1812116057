import { expect, test } from 'bun:test'
import { worldHash } from '../../../../src/simulator/engine/check.ts'
import { worldSnapshot } from '../../../../src/simulator/engine/persist/snapshot.ts'
import { advance } from '../../../../src/simulator/engine/run.ts'
import { restarted, smallWorld, WORLD_START_MS } from '../worlds.ts'

const HOUR_MS = 3_600_000

test('a snapshot is the same world, and its bars are rows of numbers, shorter than half of what they are', () => {
  const world = smallWorld()
  advance(world, WORLD_START_MS + HOUR_MS)
  const again = restarted(world)
  expect(worldHash(again)).toBe(worldHash(world))
  for (const [at, { history }] of world.scenes.entries()) {
    const { minutes, blocks } = again.scenes[at]?.history ?? {}
    expect(minutes).toEqual(history.minutes)
    expect(blocks).toEqual(history.blocks)
    const rows = worldSnapshot(world).scenes[at]?.history.minutes
    const bars = JSON.stringify([...history.minutes.values()])
    if (history.minutes.size > 10) expect(JSON.stringify(rows).length * 2).toBeLessThan(bars.length)
  }
  expect(world.scenes[0]?.history.minutes.size).toBeGreaterThan(10)
})
