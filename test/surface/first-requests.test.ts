import { describe, expect, test } from 'bun:test'
import { jsonPost } from '../caller.ts'
import { openTarget, TARGET_KINDS } from '../target.ts'

const PING = jsonPost(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }))

describe.each([...TARGET_KINDS])('the first requests, %s', (kind) => {
  // Slow: a new server answers its first requests before anything is compiled or cached.
  test('requests of every kind that come first and together are answered', async () => {
    const target = await openTarget(kind, { OPS_LISTEN: '127.0.0.1:0' })
    const answers = await Promise.all([
      target.fetch('/api/prep/leaderboard?window=7d'),
      target.fetch('/api/prep/config'),
      target.fetch('/swagger'),
      target.fetch('/nope'),
      target.fetch('/api/prep/relay'),
      target.fetch('/mcp', PING),
      target.ops('/readyz'),
      ...Array.from({ length: 20 }, () => target.fetch('/api/prep/trades?symbol=PERP_ETH_USDC')),
    ])
    const statuses = answers.map(({ status }) => status)
    expect(statuses).toEqual([200, 200, 200, 404, 405, 200, 200, ...Array(20).fill(200)])
    expect(target.log()).not.toContain('crash')
    await target.stop()
  })

  test('the first cached read is kept, and charged like any other', async () => {
    const target = await openTarget(kind, { LIMIT_READ: '1/3600s burst 2', LOG: 'info' })
    const asked = [await target.fetch('/api/prep/config'), await target.fetch('/api/prep/config')]
    expect(asked.map(({ headers }) => headers.get('cache-status')?.slice(0, 10))).toEqual([
      'prepd; fwd',
      'prepd; hit',
    ])
    const refused = await target.fetch('/api/prep/markets')
    expect([refused.status, Object(await refused.json()).code]).toEqual([429, 'rate_limited'])
    await target.stop()
  })

  test('a stop before anything was asked ends as any other', async () => {
    const target = await openTarget(kind)
    await target.stop()
    expect(target.log()).not.toMatch(/crash|uncaught/)
  })
})
