import { ClientFailure } from '../client/client.ts'

export type GuideParts = {
  readonly print: (line: string) => void
  readonly sleep: (ms: number) => Promise<void>
}

/** Runs steps, prints a line each, and waits when the service asks it to. */
export type Guide = {
  readonly step: <T>(name: string, run: () => Promise<T>, tell: (result: T) => string) => Promise<T>
}

const WAITS_MAX = 20

/** A guide that numbers its steps. A step that throws ends the tour: nothing is tried twice but a 429. */
export function createGuide({ print, sleep }: GuideParts): Guide {
  let number = 0

  async function patient<T>(label: string, run: () => Promise<T>): Promise<T> {
    for (let waits = 0; ; waits++) {
      try {
        return await run()
      } catch (error) {
        const seconds = waitOf(error)
        if (seconds === undefined || waits >= WAITS_MAX) throw error
        print(`${label}asked to wait ${seconds} s`)
        await sleep(seconds * 1000)
      }
    }
  }

  async function step<T>(
    name: string,
    run: () => Promise<T>,
    tell: (result: T) => string,
  ): Promise<T> {
    number += 1
    const label = `${String(number).padStart(2)}  ${name.padEnd(14)}`
    try {
      const result = await patient(label, run)
      print(label + tell(result))
      return result
    } catch (error) {
      print(`${label}FAILED: ${reasonOf(error)}`)
      throw error
    }
  }

  return { step }
}

// A 429 is not an error of the service: it says when to come back.
function waitOf(error: unknown): number | undefined {
  if (!(error instanceof ClientFailure) || error.status !== 429) return undefined
  return error.retryAfterSeconds
}

function reasonOf(error: unknown): string {
  if (error instanceof ClientFailure) {
    return `${error.code}: ${error.message} ${JSON.stringify(error.meta)}`
  }
  return error instanceof Error ? error.message : 'something unexpected'
}
