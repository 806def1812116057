import { LIMITS } from '../contract/limits.ts'
import type { ByteBudget } from '../core/bytes.ts'
import { createDepthGauge } from '../core/json-scan.ts'
import { UpstreamError } from '../core/ports.ts'
import { type Answered, joined } from './sockets/exchange.ts'

export type BodyBounds = {
  /** Largest body, both as it came and unpacked. */
  readonly maxBytes: number
  /** Deepest nesting of one that is JSON; unless said otherwise, as deep as the scrub goes. */
  readonly depthMax?: number
  /** What all bodies being read share. */
  readonly budget?: ByteBudget
}

const CHUNKS_MAX = 1024

/**
 * The whole body as text, unpacked, without a byte order mark. Throws UpstreamError as soon as it is known, the rest
 * unread: `oversized` for one that is too large or too deep, `saturated` when all bodies together are too large,
 * `content_type` when it cannot be unpacked or is not UTF-8.
 */
export async function readText(
  response: Pick<Answered, 'headers' | 'body'>,
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
    // Each chunk takes memory of its own, however short it is.
    if (chunks.length === CHUNKS_MAX) chunks.splice(0, CHUNKS_MAX, joined(chunks))
  }

  try {
    const parts = unpacked(response, maxBytes)
    // Leaving the loop cancels the stream, which closes the connection; what is all here is not waited for.
    if (Array.isArray(parts)) parts.forEach(take)
    else for await (const part of parts) take(part)
    return decode(joined(chunks))
  } catch (error) {
    // The error of a broken connection has a code; that of a body that cannot be unpacked is a TypeError without one.
    throw error instanceof TypeError && !('code' in error) ? undecodable(error) : error
  } finally {
    budget?.give(heldBytes)
  }
}

function oversized(): UpstreamError {
  return new UpstreamError('oversized', true)
}

// Unpacked here and not by the runtime, which has no bound of ours and writes to stderr what it could not unpack.
function unpacked({ body, headers }: Pick<Answered, 'headers' | 'body'>, maxBytes: number): Chunks {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  if (!body) return []
  const chunks = body instanceof Uint8Array ? [body] : body
  // Nothing else was asked for: what says otherwise is read as it is, and judged by its content.
  if (encoding !== 'gzip' && encoding !== 'x-gzip') return chunks
  return streamOf(atMost(chunks, maxBytes)).pipeThrough(new DecompressionStream('gzip'))
}

type Chunks = AsyncIterable<Uint8Array> | Uint8Array[]

type Bytes = Uint8Array<ArrayBuffer>

/** Passes bytes on until there are too many: packed ones may unpack to nothing for ever. */
async function* atMost(body: Chunks, maxBytes: number): AsyncGenerator<Bytes> {
  let sizeBytes = 0
  for await (const chunk of body) {
    sizeBytes += chunk.byteLength
    if (sizeBytes > maxBytes) throw oversized()
    yield new Uint8Array(chunk)
  }
}

function streamOf(chunks: AsyncGenerator<Bytes>): ReadableStream<Bytes> {
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
