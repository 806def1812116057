/** The parts of the whole soak: each prints its figures, and answers whether nothing was wrong. */
import { MUTANTS, UNCHANGED } from '../cluster/simulation/mutants.ts'
import { leadLives, openModel } from '../evm/voucher-model.ts'
import { fullDisk, mayMount, readOnlyDisk } from './disks.ts'
import { killAgainAndAgain } from './kills.ts'
import { mixedRequests } from './mixed-requests.ts'
import { randomOf } from './random.ts'
import { stopUnderLoad } from './stops.ts'
import { soakVenue } from './venue-soak.ts'

const GROWTH_MAX = 0.1

export async function soakKills(count: number, seed: number): Promise<boolean> {
  if (count === 0) return true
  const startedAtMs = performance.now()
  const figures = await killAgainAndAgain(count, randomOf(seed), (done) => {
    if (done % 100 === 0) console.log(`  ${done} kills (${seconds(startedAtMs)} s)`)
  })
  const { doubled, lost, strange, ...sums } = figures
  console.log(`kills: ${JSON.stringify(sums)} in ${seconds(startedAtMs)} s`)
  console.log(`  doubled ${doubled.length}, lost ${lost.length}, strange ${strange.length}`)
  for (const one of [...doubled, ...lost, ...strange].slice(0, 20)) console.log(`  ${one}`)
  return doubled.length + lost.length + strange.length === 0
}

export async function soakStops(count: number, seed: number): Promise<boolean> {
  const startedAtMs = performance.now()
  let answered = 0
  const bad: string[] = []
  for (let done = 0; done < count; done++) {
    const figures = await stopUnderLoad(randomOf(seed + done))
    answered += figures.answered
    const { code, stderr, untold, doubled } = figures
    if (code !== 0 || stderr !== '' || untold.length + doubled.length > 0) {
      bad.push(JSON.stringify(figures).slice(0, 300))
    }
  }
  console.log(`stops: ${count}, writes ${answered}, bad ${bad.length} in ${seconds(startedAtMs)} s`)
  for (const one of bad.slice(0, 20)) console.log(`  ${one}`)
  return bad.length === 0
}

export async function soakDisks(): Promise<boolean> {
  if (!mayMount()) {
    console.log('disks: this user may not mount one')
    return true
  }
  const faults = [...(await fullDisk()), ...(await readOnlyDisk())]
  console.log(`disks: one full, one read-only, bad ${faults.length}`)
  for (const one of faults) console.log(`  ${one}`)
  return faults.length === 0
}

export async function soakRequests(count: number, seed: number): Promise<boolean> {
  if (count === 0) return true
  const startedAtMs = performance.now()
  const { statuses, warmMb, endMb, strange } = await mixedRequests(count, randomOf(seed), (line) =>
    console.log(`  ${line} (${seconds(startedAtMs)} s)`),
  )
  console.log(`requests: ${JSON.stringify(statuses)} in ${seconds(startedAtMs)} s`)
  console.log(`  memory ${warmMb.toFixed(1)} MB once warm, ${endMb.toFixed(1)} MB at the end`)
  for (const one of strange.slice(0, 20)) console.log(`  ${one}`)
  return strange.length === 0 && endMb < warmMb * (1 + GROWTH_MAX)
}

export async function soakLives(count: number): Promise<boolean> {
  if (count === 0) return true
  const startedAtMs = performance.now()
  const model = await openModel()
  const fault = await leadLives(model, count).then(
    () => null,
    (error: Error) => error.message,
  )
  await model.stop()
  const paid = model.redemptions()
  console.log(`lives: ${count}, vouchers redeemed ${paid} in ${seconds(startedAtMs)} s`)
  if (fault !== null) console.log(`  ${fault}`)
  return fault === null && paid > 0
}

export async function soakEvents(count: number, seed: number): Promise<boolean> {
  if (count === 0) return true
  const startedAtMs = performance.now()
  const figures = await soakVenue(count, randomOf(seed), (line) =>
    console.log(`  ${line} (${seconds(startedAtMs)} s)`),
  )
  const { lost, strange, warmMb, endMb, ...sums } = figures
  console.log(`venue: ${JSON.stringify(sums)} in ${seconds(startedAtMs)} s`)
  console.log(`  memory ${warmMb.toFixed(1)} MB once warm, ${endMb.toFixed(1)} MB at the end`)
  for (const one of [...lost, ...strange].slice(0, 20)) console.log(`  ${one}`)
  const isFlat = !(endMb >= warmMb * (1 + GROWTH_MAX))
  return lost.length + strange.length === 0 && figures.deleveraged > 0 && isFlat
}

/**
 * Runs the schedules of several instances on the program as it is, which must be clean, and then on each mutant of their rule, in a
 * process of its own.
 */
export async function soakMutants(count: number, seed: number): Promise<boolean> {
  const run = async (name: string) => {
    const words = ['test/cluster/simulation/mutant.ts', name, String(count), String(seed)]
    const child = Bun.spawn([process.execPath, ...words], {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    return MUTANT_ENDS[await child.exited] ?? 'broken'
  }
  const control = await run(UNCHANGED)
  if (control !== 'unnoticed') {
    console.log('mutants: the program without a change is not clean, so no mutant was tried')
    return false
  }
  const ends: { readonly name: string; readonly end: string }[] = []
  for (const name of Object.keys(MUTANTS)) ends.push({ name, end: await run(name) })
  const wrong = ends.filter(({ end }) => end !== 'noticed')
  console.log(`mutants: ${ends.length}, not noticed or broken ${wrong.length}`)
  for (const { name, end } of wrong) console.log(`  ${end}: ${name}`)
  return wrong.length === 0
}

/** How the run of a mutant ends, by its exit code. */
const MUTANT_ENDS: Readonly<Record<number, string>> = { 0: 'noticed', 3: 'unnoticed' }

/** Seconds since a monotonic time, as text. */
export function seconds(startedAtMs: number): string {
  return ((performance.now() - startedAtMs) / 1000).toFixed(0)
}

/** A count on the command line. Throws an Error for another text. */
export function countOf(text: string): number {
  const count = Number(text)
  if (!Number.isSafeInteger(count) || count < 0) throw new Error(`${text} is no count`)
  return count
}
