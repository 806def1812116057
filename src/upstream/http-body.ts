import { UpstreamError } from '../core/ports.ts'

/**
 * The whole body as text, without a byte order mark.
 * Throws UpstreamError: `oversized` as soon as more than `maxBytes` (unpacked) have come, the rest unread;
 * `content_type` when the bytes are not UTF-8.
 */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  const bytes = await readBytes(response, maxBytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new UpstreamError('content_type', true, { cause: error })
  }
}

async function readBytes({ body }: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of body ?? []) {
    sizeBytes += chunk.byteLength
    // Leaving the loop cancels the stream, which closes the connection.
    if (sizeBytes > maxBytes) throw new UpstreamError('oversized', true)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
