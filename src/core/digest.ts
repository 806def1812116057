/** Creates a SHA-256 hasher for input in parts; its digest can be taken once. */
export function createSha256(): Bun.CryptoHasher {
  return new Bun.CryptoHasher('sha256')
}

/** The SHA-256 of a text in UTF-8. */
export function sha256Bytes(text: string): Buffer {
  return createSha256().update(text).digest()
}

/** The SHA-256 of a text in UTF-8, as 64 lowercase hex digits. */
export function sha256Hex(text: string): string {
  return createSha256().update(text).digest('hex')
}

/** The SHA-256 of a file's content, as 64 lowercase hex digits. */
export async function fileSha256Hex(path: string): Promise<string> {
  const hash = createSha256()
  for await (const chunk of Bun.file(path).stream()) hash.update(chunk)
  return hash.digest('hex')
}
