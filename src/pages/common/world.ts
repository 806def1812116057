/** A random number from 0 up to 1. */
export function random(): number {
  return Math.random()
}

/** This device's time in Unix ms. Pages read the time only through this function. */
export function nowMs(): number {
  return Date.now()
}

/** Waits for a number of milliseconds. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
