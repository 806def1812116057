/** One line of a log, read back. */
export type Line = Readonly<Record<string, unknown>> & {
  readonly level: string
  readonly event: string
}

/** The lines of a log, in order. */
export function linesOf(log: string): Line[] {
  return log
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}

/** Asks until there is an answer, because a log is written when it is written. */
export async function eventually<T>(ask: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    await Bun.sleep(10)
  }
}
