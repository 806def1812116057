// Slow: thousands of texts to every reader.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { fuzz } from './fuzz.ts'
import { subjectsOf } from './subjects.ts'
import { type FuzzedWorld, openFuzzedWorld } from './world.ts'

const TEXTS = 2000

describe('texts of strangers', () => {
  let world: FuzzedWorld
  beforeAll(async () => {
    world = await openFuzzedWorld()
  })
  afterAll(async () => {
    await world.stop()
  })

  test(`${TEXTS} to each reader break none, and send nothing that nobody signed`, async () => {
    for (const subject of subjectsOf(world)) await fuzz(subject, TEXTS, Date.now() | 0)
    expect(world.log()).not.toContain('"crash"')
  })

  test('a reader that breaks is found out', async () => {
    const fragile = {
      name: 'fragile',
      texts: ['{"a":1}'],
      check: (text: string) => {
        if (text.includes('\\u0000')) throw new Error('broken')
      },
    }
    await expect(fuzz(fragile, TEXTS, 7)).rejects.toThrow('Counterexample')
  })
})
