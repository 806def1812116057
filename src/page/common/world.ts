/** The time of this device, in milliseconds: the one place where a page reads it. */
export function nowMs(): number {
  return Date.now()
}
