import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createApprovalPage } from '../../src/main/approval-page.ts'
import { envelope, jsonPost } from '../caller.ts'
import { SILENT } from '../cluster/postgres/instance.ts'
import { APPROVED_RELAY, askToApprove, DECISION } from '../surface/approval-requests.ts'
import { newUser, post, signedBody, WALLETS } from '../surface/wallets.ts'
import { openTarget, type Target } from '../target.ts'

let target: Target
beforeAll(async () => {
  target = await openTarget('in process', { VENUE_CLOCK: 'virtual' })
})
afterAll(() => target.stop())

/** The service of a process, as its own requests and the page reach it. */
function front(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  return request.text().then((body) =>
    target.fetch(pathname + search, {
      method: request.method,
      headers: request.headers,
      ...(body && { body }),
    }),
  )
}

test('an agent that runs the service itself has its owner approve on a loopback page, and nothing else is there', async () => {
  const page = createApprovalPage(front, SILENT)
  const wallet = WALLETS.viem()
  const caller = await newUser(target, wallet)
  const body = JSON.stringify({ symbol: 'PERP_ETH_USDC', leverage: 5 })
  const call = { method: 'POST', path: '/v1/client/leverages', body } as const
  const send = async () => {
    const answer = await target.fetch(APPROVED_RELAY, jsonPost(envelope(caller, call)))
    return Object(await (await page.linked(answer)).json())
  }
  const { code, meta } = await send()
  expect(code).toBe('approval_required')
  const { origin, pathname, hostname } = new URL(meta.link)
  expect([hostname, pathname]).toEqual(['127.0.0.1', `/approve/${meta.approval}`])
  const loopback = {
    fetch: (path: string, init?: RequestInit) => fetch(origin + path, init),
  }
  // From source the document is not built; it is served all the same.
  expect((await loopback.fetch(pathname)).headers.get('content-security-policy')).toBeTruthy()
  for (const [path, init] of [
    ['/api/prep/markets', {}],
    ['/mcp', { method: 'POST' }],
    ['/api/prep/relay', { method: 'POST' }],
    [pathname, { method: 'POST' }],
    [pathname, { headers: { host: 'rebound.example' } }],
  ] as const)
    expect((await loopback.fetch(path, init)).status).toBe(404)
  const shown = await loopback.fetch(`/api/prep/approval?id=${meta.approval}`)
  expect(Object(await shown.json())).toMatchObject({ state: 'waiting' })
  const signed = await signedBody(wallet, await askToApprove(loopback, meta.approval))
  expect((await post(loopback, DECISION, signed)).body).toMatchObject({ state: 'approved' })
  expect(await send()).toMatchObject({ leverage: 5 })
  await page.close()
  await expect(loopback.fetch(pathname)).rejects.toThrow()
})

test('other refusals pass as they are, and open nothing', async () => {
  const page = createApprovalPage(front, SILENT)
  const refused = new Response('{"code":"forbidden","error":"x"}', { status: 403 })
  expect(await (await page.linked(refused)).text()).toBe('{"code":"forbidden","error":"x"}')
  await page.close()
})
