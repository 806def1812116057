/** Settles in another turn of the loop, so that whoever waits there is answered between two pieces of long work. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Does some work a step a turn, and answers what it comes to. */
export async function inTurns<Value>(steps: Generator<undefined, Value>): Promise<Value> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    await turn()
  }
}
