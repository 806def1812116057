/**
 * Releases a reserved file descriptor. Descriptors are reserved while enough are free. Code that opens something vital,
 * such as a connection to the venue or the store, first releases a reserved descriptor. It opens in the same turn of
 * the loop, so that no listener can take the descriptor.
 */
let giveUp = (): void => undefined

/** Sets the function that releases reserved descriptors when all are in use. Returns a function that unsets it. */
export function setReserveRelease(next: () => void): () => void {
  giveUp = next
  return () => {
    giveUp = () => undefined
  }
}

/** Frees a descriptor for the caller, who opens one next. */
export function releaseReserve(): void {
  giveUp()
}
