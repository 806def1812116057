/**
 * Takes the bytes of a body as they come in, cut anywhere, and passes on what belongs to it. Answers what lies behind
 * its end; null while there is more to come. Throws an Error for what is no such body.
 */
export type Framing = (bytes: Buffer, pass: (part: Uint8Array) => void) => Buffer | null

/** No bytes: what lies behind a whole body. */
export const NOTHING: Buffer = Buffer.alloc(0)

/** A body of so many bytes. */
export function sized(length: number): Framing {
  let left = length
  return (bytes, pass) => {
    // Most come whole, with nothing behind.
    if (bytes.length === left && left > 0) {
      left = 0
      pass(bytes)
      return NOTHING
    }
    const part = bytes.subarray(0, left)
    left -= part.length
    if (part.length > 0) pass(part)
    return left === 0 ? bytes.subarray(part.length) : null
  }
}

/** A body that ends with its connection. */
export const untilClose: Framing = (bytes, pass) => {
  if (bytes.length > 0) pass(bytes)
  return null
}

/** What was pending with the next bytes behind it. */
export function following(pending: Buffer, bytes: Buffer): Buffer {
  return pending.length === 0 ? bytes : Buffer.concat([pending, bytes])
}
