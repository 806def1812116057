/** A random number from 0 up to 1. */
export function random(): number {
  return Math.random()
}

/** The time of this device, in milliseconds: the one place where a page reads it. */
export function nowMs(): number {
  return Date.now()
}
