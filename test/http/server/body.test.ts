import { describe, expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { Failure } from '../../../src/core/failure.ts'
import { readBody, readBytes } from '../../../src/http/server/body.ts'

const MAX_BYTES = 262_144
const Anything = Type.Object({})
const JSON_HEADERS = { 'content-type': 'application/json' }

/** A JSON object of exactly this many bytes. */
function objectOf(bytes: number): Uint8Array {
  return new TextEncoder().encode(`{"a":"${'x'.repeat(bytes - 8)}"}`)
}

/** The ways a body may come: with its length, or in parts without one. */
const WAYS: Readonly<Record<string, (bytes: Uint8Array<ArrayBuffer>) => Request>> = {
  declared: (bytes) =>
    new Request('http://localhost/', {
      method: 'POST',
      headers: { ...JSON_HEADERS, 'content-length': String(bytes.byteLength) },
      body: bytes,
    }),
  streamed: (bytes) =>
    new Request('http://localhost/', {
      method: 'POST',
      headers: JSON_HEADERS,
      body: new ReadableStream({
        start(controller) {
          const half = Math.floor(bytes.byteLength / 2)
          controller.enqueue(bytes.subarray(0, half))
          controller.enqueue(bytes.subarray(half))
          controller.close()
        },
      }),
    }),
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  )
  return error instanceof Failure ? error.code : `no failure but ${error}`
}

describe.each(Object.entries(WAYS))('a body %s', (_, request) => {
  const of = (bytes: number) => request(new Uint8Array(objectOf(bytes)))

  test('of exactly 256 KiB is read, whole', async () => {
    expect(await readBody(of(MAX_BYTES), Anything, 'caller')).toEqual({
      a: 'x'.repeat(MAX_BYTES - 8),
    })
    expect(Buffer.from(await readBytes(of(MAX_BYTES), 'caller'))).toEqual(
      Buffer.from(objectOf(MAX_BYTES)),
    )
  })

  test('of one byte more is too large', async () => {
    expect(await codeOf(readBody(of(MAX_BYTES + 1), Anything, 'caller'))).toBe('payload_too_large')
    expect(await codeOf(readBytes(of(MAX_BYTES + 1), 'caller'))).toBe('payload_too_large')
  })

  test('is held to the limit of its own route', async () => {
    expect(await codeOf(readBody(of(1025), Anything, 'caller', 1024))).toBe('payload_too_large')
    expect(await readBody(of(1024), Anything, 'caller', 1024)).toBeObject()
  })
})
