import { ClientFailure } from '../../client/client.ts'

/** Runs steps and prints a line each. */
export type Guide = {
  readonly step: <T>(name: string, run: () => Promise<T>, tell: (result: T) => string) => Promise<T>
}

/** A guide that numbers its steps. A step that throws ends the tour: nothing is tried twice. */
export function createGuide(print: (line: string) => void): Guide {
  let number = 0

  async function step<T>(
    name: string,
    run: () => Promise<T>,
    tell: (result: T) => string,
  ): Promise<T> {
    number += 1
    const label = `${String(number).padStart(2)}  ${name.padEnd(14)}`
    try {
      const result = await run()
      print(label + tell(result))
      return result
    } catch (error) {
      print(`${label}FAILED: ${reasonOf(error)}`)
      throw error
    }
  }

  return { step }
}

function reasonOf(error: unknown): string {
  if (error instanceof ClientFailure) {
    return `${error.code}: ${error.message} ${JSON.stringify(error.meta)}`
  }
  return error instanceof Error ? error.message : 'something unexpected'
}
