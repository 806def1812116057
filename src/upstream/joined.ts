/** Bytes as one piece; those that are in one are not copied. */
export function joined(parts: readonly Uint8Array[]): Buffer {
  const [first, ...others] = parts.filter(({ byteLength }) => byteLength > 0)
  if (!first || others.length > 0) return Buffer.concat(parts)
  return Buffer.from(first.buffer, first.byteOffset, first.byteLength)
}
