import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Credentials } from '../../src/agents/client/client.ts'
import { ADVANCE_PATH } from '../../src/contract/venue/advance.ts'
import { openTemporaryAccount, VIRTUAL_KEY_LIFE_MS } from '../../src/operator/account/open.ts'
import { type Loose, openEmbeddedWorld, type ToolWorld } from '../agents/tool-world.ts'
import { envelope, jsonPost } from '../caller.ts'

const ETH = 'PERP_ETH_USDC'
const MINUTE_MS = 60_000

let world: ToolWorld
let owner: Credentials
beforeAll(async () => {
  world = await openEmbeddedWorld({ LIMIT_WRITE: 'off', VENUE_ADVANCE: 'accounts' })
  owner = await openTemporaryAccount(world.client, {
    clock: { nowMs: Date.now },
    random: { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) },
    keyLifeMs: VIRTUAL_KEY_LIFE_MS,
  })
})
afterAll(() => world.stop())

async function operator(body: object): Promise<Loose> {
  return (await world.ops(ADVANCE_PATH, jsonPost(body))).json()
}

/** An advance by the account's own key. */
async function byKey(body: object): Promise<Loose> {
  const act = { method: 'POST', path: ADVANCE_PATH, body: JSON.stringify(body) } as const
  return (await world.fetch('/api/prep/relay', jsonPost(envelope(owner, act)))).json()
}

describe('signed calls of an advance', () => {
  const order = (client_order_id: string, order_quantity = 0.1) => {
    const terms = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_quantity }
    const body = JSON.stringify({ ...terms, client_order_id })
    return envelope(owner, { method: 'POST', path: '/v1/order', body })
  }
  const READ = { account: '', reads: ['/v1/orders?size=5'] }
  beforeAll(() => {
    READ.account = owner.accountId
  })

  test('are relayed before their step, and answered as the relay answers each by itself', async () => {
    const calls = [order('in-a-step'), order('too-large', 1e9), order('beside-it')]
    const steps = [
      { ms: MINUTE_MS, calls },
      { ms: 0, ...READ },
      { ms: 1, calls: [calls[0]] },
    ]
    const { steps: taken, stepsLeft } = await operator({ steps })
    const [first, second, third] = taken
    expect(first.calls.map(({ status }: Loose) => status)).toEqual([200, 422, 200])
    expect(first.calls[0].body).toMatchObject({ client_order_id: 'in-a-step' })
    expect(first.calls[1].body).toHaveProperty('code')
    const [newest] = second.reads[0].rows
    expect(newest).toMatchObject({ created_time: first.nowMs - MINUTE_MS, status: 'FILLED' })
    expect(second).not.toHaveProperty('calls')
    expect(third.calls).toEqual([first.calls[0]])
    expect(stepsLeft).toBe(0)
    const alone = await world.fetch('/api/prep/relay', jsonPost(calls[0]))
    expect(await alone.json()).toEqual(first.calls[0].body)
  })

  test('with another body than the signed one are refused, and the step is taken', async () => {
    const changed = { ...order('changed'), body: '{"symbol":"PERP_ETH_USDC"}' }
    const { steps } = await operator({ steps: [{ ms: 5, calls: [changed] }] })
    expect(steps).toMatchObject([
      { advancedMs: 5, calls: [{ status: 401, body: { code: 'invalid_signature' } }] },
    ])
  })

  test('of later steps are judged at their turn, in each of them', async () => {
    const good = order('of-a-later-step')
    const wrong = {
      ...order('wrong'),
      auth: { ...order('wrong').auth, signature: good.auth.signature },
    }
    const calls = [wrong, good]
    const { steps } = await operator({ steps: [{ ms: 1 }, { ms: 1, calls }, { ms: 1, calls }] })
    const statuses = steps.map((step: Loose) => step.calls?.map(({ status }: Loose) => status))
    expect(statuses).toEqual([undefined, [401, 200], [401, 200]])
    const [, second, third] = steps
    expect(second.calls[0].body.code).toBe('invalid_signature')
    expect(third.calls).toEqual(second.calls)
  })

  test('are of the operator only, of their shape, and bounded', async () => {
    expect(await byKey({ steps: [{ ms: 0, calls: [order('mine')] }] })).toMatchObject({
      code: 'invalid_request',
      meta: { parameter: 'steps.0.calls' },
    })
    const many = Array.from({ length: 51 }, () => order('many'))
    for (const calls of [many, [{ method: 'GET' }]])
      expect((await operator({ steps: [{ ms: 0, calls }] })).code).toBe('invalid_request')
  })
})
