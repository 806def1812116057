import { afterEach, describe, expect, test } from 'bun:test'
import { ACCEPTED } from '../recording-upstream.ts'
import { read, startVenue, stopVenues } from './live-venue.ts'

afterEach(stopVenues)

describe('what comes back', () => {
  test('status, content type, wait and the exact text are handed on', async () => {
    const body = '{"success":false, "code":-1003,"n":1.50,"big":9007199254740993}\n'
    const { upstream } = await startVenue(() => ({
      status: 429,
      body,
      contentType: 'application/json;charset=utf-8',
      headers: { 'Retry-After': '56' },
    }))
    expect(await upstream.send(read())).toEqual({
      status: 429,
      contentType: 'application/json;charset=utf-8',
      retryAfterSeconds: 56,
      body,
    })
  })

  test.each(['soon', '-1', '1.5', '1779269200000', 'Wed, 21 Oct 2026 07:28:00 GMT'])(
    'a wait of %p is no number of seconds and is left out',
    async (value) => {
      const { upstream } = await startVenue(() => ({
        ...ACCEPTED,
        headers: { 'Retry-After': value },
      }))
      expect(await upstream.send(read())).not.toHaveProperty('retryAfterSeconds')
    },
  )

  test.each([
    'application/json',
    'Application/JSON ; charset=utf-8',
    'application/problem+json',
    'text/json',
  ])('the content type %p is JSON', async (contentType) => {
    const { upstream } = await startVenue(() => ({ ...ACCEPTED, contentType }))
    expect((await upstream.send(read())).contentType).toBe(contentType)
  })

  test('chunked and packed bodies are put together', async () => {
    const text = JSON.stringify({ success: true, data: 'é'.repeat(1000) })
    const { upstream } = await startVenue(({ target }) =>
      target === '/packed'
        ? { body: Bun.gzipSync(text), headers: { 'Content-Encoding': 'gzip' } }
        : { body: text, chunked: true },
    )
    expect((await upstream.send(read('/chunked'))).body).toBe(text)
    expect((await upstream.send(read('/packed'))).body).toBe(text)
  })

  test('a 429 page of a balancer is an answer, not a fault', async () => {
    const { upstream } = await startVenue(() => ({
      status: 429,
      body: '<html>slow down</html>',
      contentType: 'text/html',
      headers: { 'Retry-After': '3' },
    }))
    expect(await upstream.send(read())).toMatchObject({ status: 429, retryAfterSeconds: 3 })
  })
})
