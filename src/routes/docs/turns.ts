/** Lets the loop answer whoever waits: what is made here takes longer than a turn. */
export function othersTurn(): Promise<void> {
  return Bun.sleep(0)
}

/** Does some work a step a turn, and answers what it comes to. */
export async function inTurns<Value>(steps: Generator<undefined, Value>): Promise<Value> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await othersTurn()
  }
}
