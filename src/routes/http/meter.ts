/** Counts answers by status, for the operator's metrics. */
export type Meter = {
  readonly count: (status: number) => void
  /** Answers so far by status, as they came. */
  readonly byStatus: () => ReadonlyMap<number, number>
}

export function createMeter(): Meter {
  const answers = new Map<number, number>()
  return {
    count: (status) => {
      answers.set(status, (answers.get(status) ?? 0) + 1)
    },
    byStatus: () => answers,
  }
}
