import { LIMITS } from '../contract/limits.ts'
import type { ByteBudget } from '../core/bytes.ts'
import { createDepthGauge } from '../core/json-scan.ts'
import { UpstreamError } from '../core/ports.ts'
import { joinedBytes, type StreamedResponse } from './sockets/exchange.ts'

export type BodyBounds = {
  /** Maximum size of a body in bytes, both compressed and decompressed. */
  readonly maxBytes: number
  /** Maximum nesting depth of a JSON body; absent: the scrub's maximum. */
  readonly depthMax?: number
  /** Memory budget for all bodies that are being read. */
  readonly budget?: ByteBudget
}

const CHUNKS_MAX = 1024

/**
 * Reads the whole body as text: decompressed, without a byte order mark. Stops reading at the first fault and throws
 * UpstreamError:
 * - `oversized`: the body is too large or too deep,
 * - `saturated`: all bodies together are too large,
 * - `content_type`: the body cannot be decompressed or decoded as UTF-8.
 */
export async function readText(
  response: Pick<StreamedResponse, 'headers' | 'body'>,
  bounds: BodyBounds,
): Promise<string> {
  const { maxBytes, depthMax = LIMITS.scrubDepthMax, budget } = bounds
  const depthOf = createDepthGauge()
  const chunks: Uint8Array[] = []
  let heldBytes = 0

  function take(chunk: Uint8Array): void {
    if (heldBytes + chunk.byteLength > maxBytes || depthOf(chunk) > depthMax) throw oversized()
    if (budget && !budget.take(chunk.byteLength)) throw new UpstreamError('saturated', true)
    heldBytes += chunk.byteLength
    chunks.push(chunk)
    // Many short chunks are joined, because each chunk has a memory overhead.
    if (chunks.length === CHUNKS_MAX) chunks.splice(0, CHUNKS_MAX, joinedBytes(chunks))
  }

  try {
    const parts = unpacked(response, maxBytes)
    // An error in the loop cancels the stream, which closes the connection. A complete body needs no waiting.
    if (Array.isArray(parts)) parts.forEach(take)
    else for await (const part of parts) take(part)
    return decode(joinedBytes(chunks))
  } catch (error) {
    // The error of a broken connection has a code. A body that cannot be decompressed gives a TypeError without a code.
    throw error instanceof TypeError && !('code' in error) ? undecodable(error) : error
  } finally {
    budget?.give(heldBytes)
  }
}

function oversized(): UpstreamError {
  return new UpstreamError('oversized', true)
}

// Bodies are decompressed here because the runtime has no size limit and writes undecodable data to stderr.
function unpacked(
  { body, headers }: Pick<StreamedResponse, 'headers' | 'body'>,
  maxBytes: number,
): Chunks {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  if (!body) return []
  const chunks = body instanceof Uint8Array ? [body] : body
  // The request accepts gzip only. A body with another encoding is passed on unchanged; the parser then accepts or
  // refuses it.
  if (encoding !== 'gzip' && encoding !== 'x-gzip') return chunks
  return toStream(atMost(chunks, maxBytes)).pipeThrough(new DecompressionStream('gzip'))
}

type Chunks = AsyncIterable<Uint8Array> | Uint8Array[]

type Bytes = Uint8Array<ArrayBuffer>

/**
 * Passes bytes on up to a maximum. Without the maximum, compressed bytes that decompress to nothing could arrive for
 * ever.
 */
async function* atMost(body: Chunks, maxBytes: number): AsyncGenerator<Bytes> {
  let sizeBytes = 0
  for await (const chunk of body) {
    sizeBytes += chunk.byteLength
    if (sizeBytes > maxBytes) throw oversized()
    yield new Uint8Array(chunk)
  }
}

function toStream(chunks: AsyncGenerator<Bytes>): ReadableStream<Bytes> {
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => void (await chunks.return(undefined)),
  })
}

const UTF8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes)
  } catch (error) {
    throw undecodable(error)
  }
}

function undecodable(cause: unknown): UpstreamError {
  return new UpstreamError('content_type', true, { cause })
}
