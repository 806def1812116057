import { describe, expect, test } from 'bun:test'
import { HEADER_MAX_CHARS } from '../../../src/contract/limits.ts'
import { acceptsGzip } from '../../../src/http/server/responses.ts'
import { openTarget, USUAL_KINDS } from '../../target.ts'

describe('gzip', () => {
  test.each([
    ['gzip', true],
    ['GZIP', true],
    ['*', true],
    ['br, gzip', true],
    ['br;q=0.5 , gzip;q=0.001', true],
    ['gzip; q=1.000', true],
    ['gzip;q=1', true],
    ['gzip;q=0', false],
    ['gzip;q=0.000', false],
    ['*;q=0', false],
    ['br', false],
    ['xgzip', false],
    ['gzip2', false],
    ['gzip;q=', false],
    ['gzip;q=2', false],
    ['gzip;q=0.5x', false],
    ['', false],
  ])('of %j is accepted: %p', (header, accepted) => {
    expect(acceptsGzip(new Headers({ 'accept-encoding': header }))).toBe(accepted)
  })

  test('is not accepted by whoever says nothing', () => {
    expect(acceptsGzip(new Headers())).toBe(false)
  })
})

describe.each([...USUAL_KINDS])('a header that is read has a longest value, %s', (kind) => {
  test.each([
    [
      'accept-encoding',
      '/api/prep/markets',
      (length: number) => `gzip;q=0.${'1'.repeat(length - 9)}`,
    ],
    [
      'accept-encoding',
      '/swagger/style.css',
      (length: number) => `gzip;q=0.${'1'.repeat(length - 9)}`,
    ],
    ['if-none-match', '/api/prep/markets', (length: number) => `"${'x'.repeat(length - 2)}"`],
    [
      'x-forwarded-for',
      '/api/prep/markets',
      (length: number) => `${'x'.repeat(length - 8)},1.2.3.4`,
    ],
  ] as const)('%s on %s', async (name, path, valued) => {
    const target = await openTarget(kind)
    // Once for the answer to be in memory, where the shortest way to it begins.
    await target.fetch(path)
    const max = HEADER_MAX_CHARS[name]
    const asked = async (length: number) =>
      target.fetch(path, { headers: { [name]: valued(length) } })
    expect((await asked(max)).status).toBe(200)
    const refused = await asked(max + 1)
    expect(refused.status).toBe(400)
    expect(await refused.json()).toMatchObject({
      code: 'invalid_request',
      meta: { parameter: name },
    })
    expect(target.log()).not.toContain('crash')
    await target.stop()
  })
})

test('a header of an agent that is too long is refused, and is no crash', async () => {
  const target = await openTarget('in process')
  for (const name of ['mcp-protocol-version', 'x-allowed-symbols', 'authorization']) {
    const answer = await target.fetch('/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', [name]: 'x'.repeat(2049) },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    })
    expect(answer.status).toBe(400)
    const { error } = Object(await answer.json())
    expect(error.data).toMatchObject({ code: 'invalid_request', meta: { parameter: name } })
  }
  expect(target.log()).not.toContain('crash')
  await target.stop()
})
