/** Does one thing after another, in the order in which they are asked for. */
export function createTurns() {
  let last: Promise<unknown> = Promise.resolve()
  return <Done>(next: () => Promise<Done>): Promise<Done> => {
    const done = last.then(next, next)
    last = done
    return done
  }
}
