import { Value } from '@sinclair/typebox/value'
import { ADVANCE_LIMITS, AdvanceBody, type AdvanceStep } from '../../contract/venue/advance.ts'
import type { Evaluation } from './evaluation.ts'
import { POSITIONS_READ, type RunLedger } from './ledger.ts'
import type { EvaluationWorld, SteppedRow } from './world.ts'

/** The time of a run, which advances in steps up to an end. The account is measured at a fixed interval. */
export type RunTime = {
  readonly leftMs: () => number
  /** Settles at the end. */
  readonly over: Promise<void>
  /** Advances the venue's clock by a step, at most to the end. */
  readonly pass: (step: AdvanceStep) => Promise<SteppedRow>
  /** Catches up after a long call: sends due standby cancels and measures finished steps. */
  readonly catchUp: () => Promise<void>
}

/** Reasons for the end of a part after which its step continues. */
const UNFINISHED: ReadonlySet<string> = new Set(['time', 'part'])

/** Creates the time of a run in a world. */
export function steppedTime(
  world: EvaluationWorld,
  { lengthMs, stepMs }: Evaluation,
  ledger: RunLedger,
): RunTime {
  // Read here, because with latency opening the account takes venue time.
  const startMs = world.nowMs()
  const endMs = startMs + lengthMs
  const leftMs = () => endMs - world.nowMs()
  const over = Promise.withResolvers<void>()
  let measureAtMs = nextMs()

  /** The next measurement: a multiple of the step length, so that runs of equal length have equally long curves. */
  function nextMs(): number {
    return Math.min(endMs, startMs + (Math.floor((world.nowMs() - startMs) / stepMs) + 1) * stepMs)
  }

  async function measureIfDue(positions?: unknown): Promise<void> {
    if (world.nowMs() < measureAtMs) return
    if (leftMs() <= 0) over.resolve()
    measureAtMs = leftMs() <= 0 ? Number.POSITIVE_INFINITY : nextMs()
    await ledger.measure(positions)
  }

  /**
   * Advances by a part of a step, at most to the next measurement or due standby cancel. Adds the measurement's read if
   * there is room; the step's own reads belong to its last part.
   */
  async function part(step: AdvanceStep, untilMs: number): Promise<SteppedRow> {
    const dueMs = await nextStandbyMs(world)
    const partEndMs = Math.min(measureAtMs, untilMs, dueMs, world.nowMs() + ADVANCE_LIMITS.msMax)
    const { reads: asked = [], ...terms } = step
    const reads = partEndMs < untilMs ? [] : asked
    const isMeasured = partEndMs >= measureAtMs && reads.length < ADVANCE_LIMITS.readsMax
    const row = await world.advance({
      ...terms,
      ms: partEndMs - world.nowMs(),
      reads: isMeasured ? [...reads, POSITIONS_READ] : reads,
    })
    await nextStandbyMs(world)
    await measureIfDue(isMeasured ? row.reads[reads.length] : undefined)
    return { ...row, reads: row.reads.slice(0, reads.length) }
  }

  async function pass(step: AdvanceStep): Promise<SteppedRow> {
    const fromMs = world.nowMs()
    const untilMs = Math.max(fromMs, Math.min(endMs, fromMs + step.ms))
    let row = await part(step, untilMs)
    while (world.nowMs() < untilMs && UNFINISHED.has(row.ended)) row = await part(step, untilMs)
    // If a condition ended the step in an earlier part, the reads of the step are made now.
    const { reads: asked = [] } = step
    const reads = row.reads.length < asked.length ? await world.read(...asked) : row.reads
    return { ...row, reads: [...reads], advancedMs: world.nowMs() - fromMs }
  }
  async function catchUp(): Promise<void> {
    await nextStandbyMs(world)
    await measureIfDue()
  }
  return { leftMs, over: over.promise, pass, catchUp }
}

/** Relays standby cancels that are due by the world's clock. Returns the time at which the next cancels are due. */
async function nextStandbyMs(world: EvaluationWorld): Promise<number> {
  let dueMs = await world.standbyDueMs()
  while (dueMs !== null && dueMs <= world.nowMs()) {
    await world.sendStandbys()
    dueMs = await world.standbyDueMs()
  }
  return dueMs ?? Number.POSITIVE_INFINITY
}

/** Performs the steps of an agent's advance. Null for an invalid body; the service then refuses it with a better message. */
export async function passSteps(time: RunTime, asked: unknown): Promise<object | null> {
  if (!Value.Check(AdvanceBody, asked)) return null
  const steps: SteppedRow[] = []
  for (const step of asked.steps) {
    if (steps.length > 0 && time.leftMs() <= 0) break
    steps.push(await time.pass(step))
  }
  return { nowMs: steps.at(-1)?.nowMs, steps, stepsLeft: asked.steps.length - steps.length }
}
