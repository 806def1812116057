/** A random number from 0 up to 1. */
export function random(): number {
  return Math.random()
}

/** The time of this device, in milliseconds: the one place where a page reads it. */
export function nowMs(): number {
  return Date.now()
}

/** Waits for a number of milliseconds. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
