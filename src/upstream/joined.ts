/** Bytes as one piece; those that are in one are not copied. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts
  return only && parts.length === 1 ? only : Buffer.concat(parts)
}
