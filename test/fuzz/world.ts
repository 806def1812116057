import { FAILURES } from '../../src/contract/failures.ts'
import { isObject } from '../../src/core/json.ts'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { UNLIMITED } from '../faults/unlimited.ts'
import { openTarget } from '../target.ts'

/** Calls that were really signed. Whatever is made of their envelopes, nothing else may reach the venue. */
const CALLS = [
  { method: 'GET', path: '/v1/positions' },
  { method: 'GET', path: '/v1/orders?status=INCOMPLETE&page=1' },
  { method: 'POST', path: '/v1/order', body: '{"symbol":"PERP_ETH_USDC","order_quantity":1.50}' },
  { method: 'DELETE', path: '/v1/order?order_id=1&symbol=PERP_ETH_USDC' },
] as const

/** prepd in this process, before a venue that knows what it may be sent. */
export async function openFuzzedWorld() {
  const allowed = new Set(
    CALLS.map((call) => textOf(call.method, call.path, 'body' in call ? call.body : '')),
  )
  const forbidden: string[] = []
  const venue = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const { pathname, search } = new URL(request.url)
      const text = textOf(request.method, pathname + search, await request.text())
      // Public reads that tools ask for are nobody's secret.
      if (!allowed.has(text) && !PUBLIC.test(text)) forbidden.push(text)
      return Response.json({ success: true, timestamp: 1, data: {} })
    },
  })
  const target = await openTarget('in process', {
    VENUE: venue.url.href,
    LOG: 'error',
    ...UNLIMITED,
  })
  const caller = newCaller()
  const envelopes = CALLS.map((call) => JSON.stringify(envelope(caller, call)))

  return {
    envelopes,
    /** What a text posted to a path is answered. Throws when the answer is none of the service's own. */
    post: async (path: string, text: string) => {
      const response = await target.fetch(path, {
        ...jsonPost(text),
        headers: { 'content-type': 'application/json', host: 'localhost' },
      })
      const body: unknown = await response.json().catch(() => null)
      assertOurs(response.status, body)
      if (forbidden.length > 0) throw new Error(`sent: ${forbidden.pop()}`)
      return body
    },
    log: target.log,
    stop: async () => {
      await target.stop()
      await venue.stop(true)
    },
  }
}

export type FuzzedWorld = Awaited<ReturnType<typeof openFuzzedWorld>>

const PUBLIC = /^(?:GET \/v1\/(?:public\/|registration_nonce)|POST \/v1\/public\/query)/

function textOf(method: string, path: string, body: string): string {
  return `${method} ${path} ${body}`
}

/** Refusals come from the closed list, with the status that it has. */
function assertOurs(status: number, body: unknown): void {
  if (status === 500) throw new Error('500')
  if (!isObject(body) || typeof body['code'] !== 'string') return
  const listed = Object.entries(FAILURES).some(
    ([code, row]) => code === body['code'] && row.status === status,
  )
  if (!listed) throw new Error(`${status} ${body['code']}`)
}
