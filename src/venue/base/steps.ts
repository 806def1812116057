/** Work that can be left off at every yield and taken up again. In how many turns it is done makes no difference. */
export type Steps<Value> = Generator<undefined, Value>

/** Something that is made once, in as many turns as it takes. */
export type Making<Value> = {
  /** Goes on until it is enough for now; null when that is not all. What it throws, the next one meets who begins anew. */
  readonly goOn: (isOver: () => boolean) => Value | null
}

export function createMaking<Value>(begin: () => Steps<Value>): Making<Value> {
  let steps: Steps<Value> | null = null

  function next(): IteratorResult<undefined, Value> {
    try {
      steps ??= begin()
      return steps.next()
    } catch (error) {
      steps = null
      throw error
    }
  }

  return {
    goOn: (isOver) => {
      for (;;) {
        const { done, value } = next()
        if (done) return value
        if (isOver()) return null
      }
    },
  }
}

/** Whether that is enough for now. */
export type IsOver = () => boolean

export const NEVER_OVER: IsOver = () => false
