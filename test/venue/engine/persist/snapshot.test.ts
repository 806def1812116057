import { expect, test } from 'bun:test'
import { barOf } from '../../../../src/venue/engine/history/bar-rows.ts'
import { hashOf } from '../../../../src/venue/engine/persist/hash.ts'
import { snapshotOf } from '../../../../src/venue/engine/persist/snapshot.ts'
import { advance } from '../../../../src/venue/engine/run.ts'
import type { World } from '../../../../src/venue/engine/world.ts'
import { restoreWorld } from '../../at-once.ts'
import { GENESIS_MS, smallWorld } from '../worlds.ts'

const HOUR_MS = 3_600_000

function livedWorld(): World {
  const world = smallWorld()
  advance(world, GENESIS_MS + HOUR_MS)
  return world
}

/** What version 1 wrote: a pair of start and bar for each bar. */
function firstVersion(world: World) {
  const { scenes, ...snapshot } = snapshotOf(world)
  const pairs = (rows: readonly (readonly number[])[], lengthMs: number) =>
    rows.map((row) => {
      const bar = barOf(row)
      return [bar.firstAtMs - (bar.firstAtMs % lengthMs), bar]
    })
  const older = scenes.map(({ history, ...scene }) => {
    const minutes = pairs(history.minutes, 60_000)
    return { ...scene, history: { ...history, minutes, blocks: pairs(history.blocks, 1_800_000) } }
  })
  return JSON.stringify({ ...snapshot, version: 1, scenes: older })
}

test('a snapshot of the first version is the same world', () => {
  const world = livedWorld()
  const again = restoreWorld(JSON.parse(firstVersion(world)), world.prices)
  expect(hashOf(again)).toBe(hashOf(world))
  const [minutes, known] = [again, world].map(({ scenes }) => scenes[0]?.history.minutes)
  expect(minutes?.size).toBeGreaterThan(10)
  expect([...(minutes ?? [])]).toEqual([...(known ?? [])])
})

test('bars are rows of numbers, shorter than half of what they were', () => {
  const world = livedWorld()
  const texts = [JSON.stringify(snapshotOf(world)), firstVersion(world)].map((text) =>
    text.slice(text.indexOf('"minutes"'), text.indexOf('"blocks"')),
  )
  expect((texts[0] ?? '').length * 2).toBeLessThan((texts[1] ?? '').length)
})

test('a snapshot of another version is refused', () => {
  const world = livedWorld()
  const later = { ...snapshotOf(world), version: 3 as never }
  expect(() => restoreWorld(later, world.prices)).toThrow('a snapshot of another version')
})
