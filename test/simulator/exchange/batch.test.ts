import { expect, test } from 'bun:test'
import type { EntityChange, EntityStore } from '../../../src/core/ports.ts'
import { createBatch } from '../../../src/simulator/exchange/journal.ts'
import { openVenueFile } from '../../../src/store/entity-file.ts'

const row = (key: string): EntityChange => ({ kind: 'row', key, json: '1' })

test('several writers commit as one, and what a broken store did not take is written with the next', () => {
  const entities = openVenueFile(':memory:')
  const commits: (readonly EntityChange[])[] = []
  let isBroken = false
  const failing: EntityStore = {
    ...entities,
    commit: (changes) => {
      if (isBroken) throw new Error('disk full')
      commits.push(changes)
      entities.commit(changes)
    },
  }
  const batch = createBatch(failing)
  batch.entities.commit([row('a')])
  batch.entities.commit([row('b')])
  expect([...entities.load('row')]).toEqual([])
  isBroken = true
  expect(batch.flush).toThrow('disk full')
  isBroken = false
  batch.entities.commit([row('c')])
  batch.flush()
  batch.flush()
  expect(commits).toHaveLength(1)
  expect(Array.from(entities.load('row'), ({ key }) => key)).toEqual(['a', 'b', 'c'])
})
