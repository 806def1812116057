import type { Static, TSchema } from '@sinclair/typebox'
import { Failure, invalid } from '../../core/failure.ts'
import { parseBody } from '../../core/parse-body.ts'
import { LIMITS } from '../../spec/limits.ts'
import { headerOf } from './header.ts'

const JSON_TYPE = /^application\/json\s*(;|$)/i

/**
 * Reads a JSON body: its type, size, encoding and shape are checked in that order.
 * Throws Failure: unsupported_media_type, payload_too_large, invalid_request naming the parameter.
 */
export async function readBody<S extends TSchema>(
  request: Request,
  schema: S,
  maxBytes: number = LIMITS.httpBodyMaxBytes,
): Promise<Static<S>> {
  if (!JSON_TYPE.test(headerOf(request.headers, 'content-type') ?? '')) {
    throw new Failure('unsupported_media_type')
  }
  const bytes = await readBytes(request, maxBytes)
  return parseBody(schema, decode(bytes))
}

/** The body's bytes, at most `maxBytes` of them. Throws payload_too_large without reading further. */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const declared = request.headers.get('content-length')
  if (declared !== null && Number(declared) > maxBytes) throw new Failure('payload_too_large')
  if (declared !== null || !request.body) return new Uint8Array(await request.arrayBuffer())
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of request.body) {
    sizeBytes += chunk.byteLength
    if (sizeBytes > maxBytes) throw new Failure('payload_too_large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw invalid('body', { reason: 'not UTF-8' })
  }
}
