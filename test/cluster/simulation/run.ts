import { randomOf } from '../../faults/random.ts'
import { type Ended, planOf, simulate } from './simulate.ts'

/** Runs the schedule of a seed. */
export async function simulateSeed(seed: number): Promise<Ended> {
  return simulate(seed, planOf(seed, randomOf(seed ^ 0x5eed)))
}

/** Runs so many schedules from a seed on; answers the seed, the schedule and the faults of each that broke the rule. */
export async function simulateMany(
  count: number,
  firstSeed: number,
): Promise<{ readonly texts: number; readonly broken: readonly string[] }> {
  const broken: string[] = []
  let texts = 0
  for (let seed = firstSeed; seed < firstSeed + count; seed += 1) {
    const ended = await simulateSeed(seed)
    texts += ended.texts
    if (ended.wrong.length > 0) broken.push(printed(seed, ended))
  }
  return { texts, broken }
}

function printed(seed: number, { wrong, lines }: Ended): string {
  return [`seed ${seed}:`, ...lines, ...wrong].join('\n  ')
}
