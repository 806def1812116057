/** Runs tasks one after the other, in the order of the calls. */
export function createTaskQueue() {
  let last: Promise<unknown> = Promise.resolve()
  return <Done>(next: () => Promise<Done>): Promise<Done> => {
    const done = last.then(next, next)
    last = done
    return done
  }
}
