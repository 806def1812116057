/** What is made by the first who asks, and kept. */
type Once<Value> = {
  /** It, made now unless it is made already; what failed is tried again by the next who asks. */
  readonly get: () => Promise<Value>
  /** It if somebody has asked, and it has not failed; else null. */
  readonly begun: () => Promise<Value> | null
}

export function once<Value>(make: () => Promise<Value>): Once<Value> {
  let making: Promise<Value> | null = null
  return {
    get: () => {
      making ??= make().catch((error: unknown) => {
        making = null
        throw error
      })
      return making
    },
    begun: () => making,
  }
}
