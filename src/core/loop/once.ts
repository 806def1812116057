/** A value that the first caller creates and later callers share. */
type Once<Value> = {
  /** The value, created on the first call. After a failure the next call tries again. */
  readonly get: () => Promise<Value>
  /** The value or its creation in progress; null before the first call and after a failure. */
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
