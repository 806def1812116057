import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { BUDGETS, pageWeight } from '../../build/budgets.ts'
import { openTarget, type Target } from '../target.ts'

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

describe('the pages', () => {
  let target: Target
  beforeAll(async () => {
    target = await openTarget('compiled binary', {
      OPS_LISTEN: '127.0.0.1:0',
      SERVICE_NAME: 'an-exchange',
    })
  })
  afterAll(() => target.stop())

  const asks = {
    trade: (path: string, init?: RequestInit) => target.fetch(path, init),
    console: (path: string, init?: RequestInit) => target.ops(path, init),
    approve: (path: string, init?: RequestInit) => target.fetch(path, init),
  }

  test.each([
    ['trade', '/trade'],
    ['trade', '/trade/PERP_ETH_USDC'],
    ['trade', '/trade/portfolio'],
    ['console', '/'],
    ['approve', `/approve/${'0'.repeat(32)}`],
  ] as const)('are locked down and asked for anew: %s %s', async (page, path) => {
    const response = await asks[page](path)
    expect(response.headers.get('content-security-policy')).toBe(POLICY)
    expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('permissions-policy')).toMatch(/^(?:[a-z-]+=\(\)(?:, |$))+$/)
    expect(response.headers.get('cache-control')).toBe('no-cache')
    const html = await response.text()
    expect(html).toContain('an-exchange')
    expect(html).not.toMatch(
      /https?:|<style|<script(?! type="application\/json")(?![^>]*src=)|\son[a-z]+=|\{\{/,
    )
    const etag = response.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[^"]+"$/)
    // The trading page brings prices, with the second they are of.
    let tag = etag
    for (;;) {
      const again = await asks[page](path, { headers: { 'if-none-match': tag } })
      if (again.status === 304) break
      expect(again.headers.get('etag')).not.toBe(tag)
      tag = again.headers.get('etag') ?? ''
    }
  })

  test.each([
    ['trade', '/trade'],
    ['console', '/'],
    ['approve', `/approve/${'0'.repeat(32)}`],
  ] as const)('are made of parts that never change: %s', async (page, path) => {
    const html = await (await asks[page](path)).text()
    const parts = [...html.matchAll(/(?:src|href)="([^"]+)"/g)]
      .map(([, part = '']) => part)
      .filter((part) => !part.startsWith('/api/'))
    expect(parts.length).toBeGreaterThanOrEqual(3)
    for (const part of parts) {
      const response = await asks[page](part, { headers: { 'accept-encoding': 'gzip' } })
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(response.headers.get('content-encoding')).toBe('gzip')
      const plain = await asks[page](part, { headers: { 'accept-encoding': 'identity' } })
      expect(plain.headers.get('content-encoding')).toBeNull()
      expect(await plain.text()).toBe(await response.text())
    }
  })

  test.each([
    ['a part that there is not', '/trade/chunk-00000000.js', 'GET', 404],
    ['a way out of the folder', '/trade/..%2fmain.ts', 'GET', 404],
    ['a deeper path', '/trade/PERP_ETH_USDC/more', 'GET', 404],
    ['another method', '/trade', 'POST', 405],
    ['a part of approvals that there is not', '/approve/chunk-0.js', 'GET', 404],
    ['a decision in the wrong place', '/approve/1', 'POST', 405],
  ])('answer %s like everything else', async (_, path, method, status) => {
    const response = await target.fetch(path, { method })
    expect(response.status).toBe(status)
    expect(response.headers.get('content-type')).toBe('application/json')
  })

  test('answer HEAD, a redirect from the root, their icon and their notices', async () => {
    expect((await target.fetch('/trade', { method: 'HEAD' })).status).toBe(200)
    const root = await target.fetch('/', { redirect: 'manual' })
    expect([root.status, root.headers.get('location')]).toEqual([302, '/trade'])
    expect((await target.fetch('/favicon.svg')).headers.get('content-type')).toBe('image/svg+xml')
    expect(await (await target.fetch('/trade/NOTICE')).text()).toContain('lightweight-charts')
  })

  test.each(['trade', 'console', 'approve'] as const)(
    'weigh no more than they may: %s',
    async (page) => {
      const weight = await pageWeight(page)
      for (const { load, maxBytes } of BUDGETS.filter((budget) => budget.page === page))
        expect(weight[load]).toBeLessThanOrEqual(maxBytes)
    },
  )
})

test.each([
  ['is switched off', { PAGE: 'off' }],
  ['is not asked for before a live venue', { VENUE: 'http://127.0.0.1:9' }],
])('there is no trading page where it %s', async (_, settings) => {
  const target = await openTarget('in process', settings)
  for (const path of ['/', '/trade', '/favicon.svg']) {
    expect((await target.fetch(path)).status).toBe(404)
  }
  await target.stop()
})

test('from source the page says how to build it', async () => {
  const target = await openTarget('in process')
  const response = await target.fetch('/trade')
  expect(response.status).toBe(503)
  expect(await response.text()).toContain('npm run build')
  await target.stop()
})
