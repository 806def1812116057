/** Settles in another turn of the loop, so that whoever waits there is answered between two pieces of long work. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
