import type { Static, TSchema } from '@sinclair/typebox'
import { LIMITS } from '../../contract/limits.ts'
import { createByteBudget } from '../../core/bytes.ts'
import { Failure, invalidParameter } from '../../core/failure.ts'
import { after, reportUnexpected } from '../../core/loop/guarded.ts'
import { parseBody } from '../../core/parse-body.ts'
import { requestHeader } from './request.ts'
import { UnreadBody } from './responses.ts'

const JSON_TYPE = /^application\/json\s*(;|$)/i

/** Memory budget for all bodies that this process is reading. */
const BODIES = createByteBudget(LIMITS.httpBodiesMaxBytes, LIMITS.httpBodyShares)
/** Memory budget for small bodies, such as orders and cancels, so that stalled large bodies cannot block them. */
const SMALL_BODIES = createByteBudget(LIMITS.httpSmallBodiesMaxBytes, LIMITS.httpBodyShares)

function unfinishedBody(options?: ErrorOptions): UnreadBody {
  return new UnreadBody('invalid_request', { parameter: 'body', reason: 'late' }, options)
}

/**
 * Reads a JSON body. Checks its type, size, encoding and shape in that order. Throws Failure unsupported_media_type,
 * and the failures of `readBytes` and `parseBody`.
 */
export async function readBody<S extends TSchema>(
  request: Request,
  schema: S,
  limitKey: string,
  maxBytes: number = LIMITS.httpBodyMaxBytes,
): Promise<Static<S>> {
  if (!JSON_TYPE.test(requestHeader(request.headers, 'content-type') ?? '')) {
    throw new Failure('unsupported_media_type')
  }
  const bytes = await readBytes(request, limitKey, maxBytes)
  return parseBody(schema, decode(bytes))
}

/**
 * Reads a body of at most `maxBytes`, within the share of the caller's address. Throws
 * - payload_too_large, without reading further: as Failure before the first read, else as UnreadBody,
 * - UnreadBody rate_limited while the memory budget is used up,
 * - UnreadBody invalid_request for an incomplete or late body.
 */
export async function readBytes(
  request: Request,
  limitKey: string,
  maxBytes: number = LIMITS.httpBodyMaxBytes,
): Promise<Uint8Array> {
  const declared = request.headers.get('content-length')
  const sizeBytes = declared === null ? maxBytes : Number(declared)
  if (sizeBytes > maxBytes) throw new Failure('payload_too_large')
  // Accessing `body` creates a stream. Without a stream, a body of known length is read faster.
  const stream = declared === null ? request.body : null
  if (declared === null && !stream) return new Uint8Array()
  const bodies = sizeBytes <= LIMITS.httpSmallBodyMaxBytes ? SMALL_BODIES : BODIES
  if (!bodies.take(sizeBytes, limitKey))
    throw new UnreadBody('rate_limited', { retryAfterSeconds: 1 })
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
  const timer = after('http', LIMITS.httpBodyDeadlineMs, () => reject(unfinishedBody()))
  try {
    const whole = stream ? gatherBytes(stream, maxBytes) : request.bytes()
    whole.then(resolve, reject)
    return await promise
  } catch (error) {
    // Any other error of the stream means that the caller has disconnected.
    throw error instanceof Failure ? error : unfinishedBody({ cause: error })
  } finally {
    clearTimeout(timer)
    bodies.give(sizeBytes, limitKey)
  }
}

async function gatherBytes(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of body) {
    sizeBytes += chunk.byteLength
    if (sizeBytes > maxBytes) throw new UnreadBody('payload_too_large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes)
  } catch (error) {
    reportUnexpected('http', error, TypeError)
    throw invalidParameter('body', 'not_utf8')
  }
}
