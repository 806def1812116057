import { expect, test } from 'bun:test'
import { createClient, type ServiceTransport } from '../../../src/agents/client/client.ts'
import { remoteTransport } from '../../../src/agents/client/remote.ts'

const down: ServiceTransport = () => Promise.reject(new Error('nobody is there'))
const answered =
  (status: number, body: string): ServiceTransport =>
  async () =>
    new Response(body, { status })
const coded = (code: string, status: number) => answered(status, JSON.stringify({ code }))

function get(transport: ServiceTransport, path = '/api/prep/markets') {
  return createClient({ baseUrl: 'http://localhost', transport, nowMs: () => 0 }).get(path)
}

test.each([
  ['no service', down, 'service'],
  ['a proxy whose service is gone', answered(502, '<html>'), 'service'],
  ['a venue that is gone', coded('upstream_unavailable', 502), 'venue'],
  ['a venue that is too slow', coded('upstream_timeout', 504), 'venue'],
] as const)('%s is told as such', async (_, transport, unreachable) => {
  await expect(get(transport)).rejects.toMatchObject({ meta: { unreachable } })
})

test('a provider of swaps that is gone is not the venue', async () => {
  const asked = get(coded('upstream_unavailable', 502), '/api/swap/quote')
  await expect(asked).rejects.toMatchObject({ meta: { unreachable: 'swaps' } })
})

test.each([
  ['a refusal', coded('not_found', 404)],
  ['a page that is a refusal', answered(404, '<html>')],
  ['a fault of the service', answered(500, '<html>')],
])('%s is nobody being away', async (_, transport) => {
  const failure = await get(transport).catch((error: unknown) => error)
  expect(failure).toMatchObject({ name: 'ClientFailure' })
  expect(failure).not.toHaveProperty('meta.unreachable')
})

test('a write that got no answer may have arrived, and says that the service is silent', async () => {
  const reset = (() => Promise.reject(new Error('reset'))) as unknown as typeof fetch
  const client = createClient({
    ...{ baseUrl: 'http://localhost', nowMs: () => 0 },
    transport: remoteTransport(reset),
  })
  await expect(client.post('/api/prep/register', {})).rejects.toMatchObject({
    code: 'outcome_unknown',
    meta: { unreachable: 'service' },
  })
})
