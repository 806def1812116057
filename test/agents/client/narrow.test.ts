import { describe, expect, test } from 'bun:test'
import { createClient } from '../../../src/agents/client/client.ts'
import { narrowClient } from '../../../src/agents/client/narrow.ts'
import type { Method } from '../../../src/contract/allowlist.ts'
import { newCaller } from '../../caller.ts'

/** A narrow client, and every request that got through it. */
function recorded() {
  const sent: string[] = []
  const transport = async (request: Request) => {
    const { pathname, search } = new URL(request.url)
    sent.push(pathname + search)
    return Response.json({ fine: true })
  }
  const client = createClient({ baseUrl: 'http://localhost', transport, nowMs: () => 0 })
  return { client: narrowClient(client), sent }
}

// biome-ignore format: one call a row
const REFUSED: readonly { method: Method; path: string }[] = [
  { method: 'POST', path: '/v1/withdraw_request' },
  { method: 'GET', path: '/v1/withdraw_nonce' },
  { method: 'POST', path: '/v1/settle_pnl' },
  { method: 'POST', path: '/v1/internal_transfer' },
  { method: 'POST', path: '/v1/position_margin' },
  { method: 'POST', path: '/v1/batch-order' },
  { method: 'POST', path: '/v1/client/leverage' },
  { method: 'POST', path: '/v1/notification/inbox/mark_read_all' },
  { method: 'PUT', path: '/v1/positions' },
  { method: 'GET', path: '/v1/client/info/../withdraw_nonce' },
  { method: 'GET', path: '/v1/elsewhere' },
]

describe('what an agent may have signed', () => {
  test.each(REFUSED)('does not include $method $path', async (call) => {
    const { client, sent } = recorded()
    const refusal = expect(client.relay(newCaller(), call)).rejects
    await refusal.toMatchObject({ name: 'ClientFailure', code: 'forbidden' })
    expect(sent).toEqual([])
  })

  test.each([
    { method: 'GET', path: '/v1/orders?status=INCOMPLETE&page=1' },
    { method: 'GET', path: '/v1/position/PERP_ETH_USDC' },
    { method: 'POST', path: '/v1/order', body: '{}' },
    { method: 'DELETE', path: '/v1/order?order_id=1&symbol=PERP_ETH_USDC' },
  ] as const)('includes $method $path', async (call) => {
    const { client, sent } = recorded()
    expect(await client.relay(newCaller(), call)).toEqual({ fine: true })
    expect(sent).toEqual(['/api/prep/relay'])
  })
})

describe('what an agent may read', () => {
  test.each([
    '/api/admin/keys',
    '/api/relayer/voucher',
    '/api/prep/../admin/keys',
    '/api/prep/op/../../admin/keys',
    '/api/prep/op/%2e%2e/%2e%2e/admin/keys',
    '/mcp',
    '//evil.example/api/prep/',
    '/api/prep/op/a b',
    '/api/prep/op/a#b',
    '/api/prep\\op',
  ])('does not include %s', async (path) => {
    const { client, sent } = recorded()
    await expect(client.get(path)).rejects.toMatchObject({ code: 'forbidden' })
    expect(sent).toEqual([])
  })

  test('includes the public reads, with their queries', async () => {
    const { client, sent } = recorded()
    await client.get('/api/prep/orderbook', { symbol: 'PERP_ETH_USDC' })
    await client.get('/api/swap/chains')
    expect(sent).toEqual(['/api/prep/orderbook?symbol=PERP_ETH_USDC', '/api/swap/chains'])
  })

  test('is all there is: nothing is posted but signed calls', async () => {
    const { client, sent } = recorded()
    await expect(client.post('/api/prep/register', {})).rejects.toMatchObject({ code: 'forbidden' })
    expect(sent).toEqual([])
  })
})
