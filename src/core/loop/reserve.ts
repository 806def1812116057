/**
 * File descriptors that are kept back while there are enough of them. Whoever is about to open what the service cannot
 * do without, such as a connection to the venue or the store, has room made for it in the same turn of the loop, in
 * which no listener can take it.
 */
let giveUp = (): void => undefined

/** Sets what gives descriptors up where none is free; answers how to take it back. */
export function reserveWith(next: () => void): () => void {
  giveUp = next
  return () => {
    giveUp = () => undefined
  }
}

/** Makes room for a descriptor that is opened next. */
export function makeRoom(): void {
  giveUp()
}
