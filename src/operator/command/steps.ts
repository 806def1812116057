import { ClientFailure } from '../../agents/client/client.ts'
import { failureLine } from './tables.ts'

/**
 * One row of a table of steps. `run` performs the step and returns a sentence about its result. The step is skipped if
 * `only` returns false.
 */
export type CommandStep = readonly [name: string, run: () => Promise<string>, only?: () => boolean]

/** A value that an earlier step provides to later steps. */
export type StepValue<T> = { readonly set: (value: T) => T; readonly get: () => T }

/** An empty value. `get` throws RangeError before the first `set`. */
export function createStepValue<T>(): StepValue<T> {
  let held: { readonly value: T } | null = null
  return {
    set: (value) => {
      held = { value }
      return value
    },
    get: () => {
      if (held) return held.value
      throw new RangeError('no step has brought it')
    },
  }
}

/** Runs the steps in order and prints a numbered line for each. An error ends the run without a retry. */
export async function runSteps(
  steps: readonly CommandStep[],
  print: (line: string) => void = () => undefined,
): Promise<void> {
  let number = 0
  for (const [name, run, only] of steps) {
    if (only && !only()) continue
    number += 1
    const label = `${String(number).padStart(2)}  ${name.padEnd(14)}`
    try {
      print(label + (await run()))
    } catch (error) {
      print(`${label}FAILED: ${stepReason(error)}`)
      throw error
    }
  }
}

/** Polls until there is a result. Throws an Error with the text `otherwise` after `pollsMax` polls. */
export async function pollUntil<T>(
  { sleep, everyMs, pollsMax }: Polling,
  poll: () => Promise<T | null>,
  otherwise: string,
): Promise<T> {
  for (let polls = 0; polls < pollsMax; polls++) {
    const found = await poll()
    if (found !== null) return found
    await sleep(everyMs)
  }
  throw new Error(otherwise)
}

type Polling = {
  readonly sleep: (ms: number) => Promise<void>
  readonly everyMs: number
  readonly pollsMax: number
}

function stepReason(error: unknown): string {
  if (error instanceof ClientFailure) return failureLine(error)
  return error instanceof Error ? error.message : 'something unexpected'
}
