import fc from 'fast-check'
import { mutated } from './mutation.ts'
import type { Subject } from './subjects.ts'

/** Inputs at a time: between two batches others get their turn. */
const BATCH = 50_000

/**
 * Gives a subject so many texts near those it is used to. The same seed gives the same texts. Throws with the shortest
 * text found that breaks it, and how to see it again.
 */
export async function fuzz({ texts, check }: Subject, count: number, seed: number): Promise<void> {
  const property = fc.asyncProperty(mutated(texts), async (text) => {
    await check(text)
  })
  for (let done = 0; done < count; done += BATCH) {
    const numRuns = Math.min(BATCH, count - done)
    await fc.assert(property, { numRuns, seed: (seed + done) | 0, endOnFailure: false })
  }
}
