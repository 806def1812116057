import { isObject } from '../../src/core/json.ts'
import { type AnswerSpec, type Recorded, startRecordingUpstream } from '../recording-upstream.ts'
import { openedBy } from '../surface/recorded-venue.ts'

/**
 * A venue that takes everything, each call after a delay of its own, and remembers how often it met what. `special` may
 * answer a call in another way, after it was remembered.
 */
export async function startRememberingVenue(
  delayMs: () => number,
  special: (request: Recorded) => AnswerSpec | null = () => null,
) {
  const orders = new Map<string, number>()
  const nonces = new Map<string, number>()
  let nonce = 194_528_949_540

  function meet(seen: Map<string, number>, id: unknown): void {
    seen.set(String(id), (seen.get(String(id)) ?? 0) + 1)
  }

  function payload({ method, target, text }: Recorded): unknown {
    const [path] = target.split('?')
    const body: unknown = text === '' ? {} : JSON.parse(text)
    if (!isObject(body)) return {}
    if (path === '/v1/order' && method === 'POST') {
      if (body['client_order_id'] !== undefined) meet(orders, body['client_order_id'])
      return { order_id: orders.size, client_order_id: body['client_order_id'] }
    }
    if (path === '/v1/registration_nonce') {
      nonce += 1
      return { registration_nonce: String(nonce) }
    }
    if (path === '/v1/register_account') {
      meet(nonces, Object(body['message']).registrationNonce)
      return openedBy({ target, text })
    }
    if (path === '/v1/orderly_key') return openedBy({ target, text })
    return path === '/v1/get_account' ? { account_id: `0x${'ab'.repeat(32)}` } : {}
  }

  const venue = await startRecordingUpstream((request): AnswerSpec => {
    const data = payload(request)
    return special(request) ?? { json: { success: true, timestamp: 1, data }, delayMs: delayMs() }
  })
  return { url: venue.url, orders, nonces, stop: venue.stop }
}

/** The ids that were met more than once. */
export function doubled(seen: ReadonlyMap<string, number>): readonly string[] {
  return [...seen].filter(([, times]) => times > 1).map(([id]) => id)
}
