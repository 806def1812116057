import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { runs } from '../runs.ts'
import { openTarget, type Target, USUAL_KINDS } from '../target.ts'
import { operationAnswer, startRecordedVenue } from './recorded-venue.ts'

const OPERATOR = 'operator-7'
const FUTURES = '/v1/public/futures/'

describe.each([...USUAL_KINDS])('a value stays where it belongs, %s', (kind) => {
  let venue: Awaited<ReturnType<typeof startRecordedVenue>>
  let target: Target

  beforeAll(async () => {
    venue = await startRecordedVenue(operationAnswer)
    target = await openTarget(kind, { VENUE: venue.url, BROKER_ID: OPERATOR })
  })
  afterAll(async () => {
    await target.stop()
    await venue.stop()
  })

  async function askedFor(path: string) {
    const before = venue.requests.length
    const response = await target.fetch(path)
    return { response, sent: venue.requests.slice(before) }
  }

  const ESCAPES = [
    { value: '../info', path: '/v1/public/futures/..%2Finfo' },
    { value: 'a/b', path: '/v1/public/futures/a%2Fb' },
    { value: 'a?symbol=b#c', path: '/v1/public/futures/a%3Fsymbol%3Db%23c' },
    { value: 'a%2Fb', path: '/v1/public/futures/a%252Fb' },
    { value: 'ü&x=1', path: '/v1/public/futures/%C3%BC%26x%3D1' },
    { value: '{symbol}', path: '/v1/public/futures/%7Bsymbol%7D' },
    { value: '$&', path: '/v1/public/futures/%24%26' },
  ]
  test.each(ESCAPES)('$value stays in its segment', async ({ value, path }) => {
    const { sent } = await askedFor(`/api/prep/op/markets.get?symbol=${encodeURIComponent(value)}`)
    expect(sent.map((request) => request.target)).toEqual([path])
  })

  test('a value cannot add a parameter', async () => {
    const value = 'A1&broker_id=x#y'
    const { sent } = await askedFor(
      `/api/prep/op/builder.getOrderTag?enum_id=${encodeURIComponent(value)}`,
    )
    const url = new URL(sent[0]?.target ?? '', 'http://venue')
    expect(Object.fromEntries(url.searchParams)).toEqual({ broker_id: OPERATOR, enum_id: value })
  })

  const REFUSED = ['%2e%2e', '.', '..', '%00', 'a%0d%0ab', '%ff']
  test.each(REFUSED)('symbol=%s has no segment to stay in, and nothing is sent', async (value) => {
    const { response, sent } = await askedFor(`/api/prep/op/markets.get?symbol=${value}`)
    expect(await response.json()).toMatchObject({
      code: 'invalid_request',
      meta: { parameter: 'symbol' },
    })
    expect(sent).toEqual([])
  })

  // Slow: each generated text is asked of a server.
  test('whatever the text, it is refused unread or arrives as one segment that says the same', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
      fc.stringMatching(/^[./%?#&=;:@\\ ~!'()*+a0-]{1,8}$/),
    )
    const asks = fc.asyncProperty(text, async (symbol) => {
      const query = new URLSearchParams({ symbol, once: crypto.randomUUID() })
      const { response, sent } = await askedFor(`/api/prep/op/markets.get?${query}`)
      if (sent.length === 0) return [200, 400].includes(response.status)
      const [path = ''] = sent.map((request) => request.target)
      const segment = path.slice(FUTURES.length)
      return (
        path.startsWith(FUTURES) &&
        /^(?:[A-Za-z0-9._~-]|%[0-9A-F]{2})+$/.test(segment) &&
        decodeURIComponent(segment) === symbol &&
        new URL(path, 'http://venue').pathname === path
      )
    })
    await fc.assert(asks, { numRuns: runs(300) })
  })
})
