import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ADVANCE_PATH } from '../../src/contract/venue/advance.ts'
import { envelope, jsonPost, type TestCaller } from '../caller.ts'
import { APPROVED_RELAY, askToApprove, DECISION } from '../surface/approval-requests.ts'
import { askToLimit, newUser, post as postJson, signedBody, WALLETS } from '../surface/wallets.ts'
import { openTarget, type Target, USUAL_KINDS } from '../target.ts'
import { unlisted } from './later-strategies.ts'
import { modern, modernHeaders, post, request, toolText } from './rpc.ts'

const ETH = 'PERP_ETH_USDC'
const LARGE = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_quantity: 2 }
const SMALLER = { ...LARGE, order_quantity: 0.05 }
const RELAY = '/api/prep/relay'

let target: Target
beforeAll(async () => {
  const settings = { VENUE_CLOCK: 'virtual', LIMIT_MCP: 'off', LIMIT_WRITE: 'off' }
  const [kind = 'in process'] = USUAL_KINDS.toReversed()
  target = await openTarget(kind, settings)
})
afterAll(() => target.stop())

// biome-ignore lint/suspicious/noExplicitAny: answers to a program that takes whatever comes
type Loose = any

/** A model with a trading key whose owner approves the smaller order alone. */
type Agent = {
  readonly caller: TestCaller
  readonly address: string
  readonly call: (args: object, headers?: Record<string, string>) => Promise<Loose>
  readonly relay: (order: object | string, path?: string) => Promise<Loose>
  readonly decide: (body: unknown) => Promise<unknown>
  /** Asks for the large order; the id of its approval. */
  readonly ask: () => Promise<string>
  /** Has the owner approve the smaller order; what the owner has posted. */
  readonly approved: () => Promise<Loose>
}

async function newAgent(): Promise<Agent> {
  const wallet = WALLETS.viem()
  const caller = await newUser(target, wallet)
  const limited = await askToLimit(target, wallet, { approveAboveUsdc: '100' })
  await postJson(target, '/api/prep/mandate', await signedBody(wallet, limited))
  const credentials = {
    'x-account-id': caller.accountId,
    'x-trading-key': Buffer.from(caller.secret).toString('hex'),
  }
  const relay: Agent['relay'] = async (order, path = RELAY) => {
    const body = typeof order === 'string' ? order : JSON.stringify(order)
    const signed = envelope(caller, { method: 'POST', path: '/v1/order', body })
    return Object(await (await target.fetch(path, jsonPost(signed))).json())
  }
  return {
    ...{ caller, address: wallet.address, relay },
    call: async (args, headers = {}) => {
      const message = request('tools/call', { name: 'place_order', arguments: args })
      const { json } = await post(target, message, { ...credentials, ...headers })
      return json?.result === undefined ? json : toolText(json).value
    },
    decide: (body) => postJson(target, DECISION, body),
    ask: async () => (await relay(LARGE)).meta.approval,
    approved: async () => {
      const { approval } = (await relay(SMALLER)).meta
      const signed = await signedBody(wallet, await askToApprove(target, approval))
      await postJson(target, DECISION, signed)
      return signed
    },
  }
}

const STRATEGIES: readonly (readonly [string, (agent: Agent) => Promise<unknown>])[] = [
  [
    'claims in the decision that it approves',
    async ({ ask, decide }) => {
      const id = await ask()
      for (const body of [{ approve: id }, { approval: id, state: 'approved' }, { id }])
        await decide(body)
    },
  ],
  [
    'signs with a wallet of its own, in its own name and in the owner’s',
    async ({ ask, decide, address }) => {
      const signed = await signedBody(WALLETS.ethers(), await askToApprove(target, await ask()))
      await decide(signed)
      await decide({ ...signed, address })
    },
  ],
  [
    'uses the signature for an approved order for another order',
    async ({ ask, decide, approved }) => {
      const signed = await approved()
      const id = await ask()
      await decide({ ...signed, message: { ...signed.message, approval: id } })
      await decide(signed)
    },
  ],
  [
    'changes the order after it was approved',
    async ({ approved, relay }) => {
      await approved()
      await relay({ ...SMALLER, order_quantity: 2 })
      await relay(JSON.stringify(SMALLER).replace('0.05', '2'))
      await relay(JSON.stringify(SMALLER).replace('0.05', '0.05,"order_quantity":2'))
    },
  ],
  [
    'sends the approved order many times, at once and one after the other',
    async ({ approved, relay }) => {
      await approved()
      await Promise.all(Array.from({ length: 8 }, () => relay(SMALLER)))
      for (let times = 0; times < 3; times += 1) await relay(SMALLER, APPROVED_RELAY)
    },
  ],
  [
    'accepts the question of its client, and invents an answer',
    async ({ caller }) => {
      const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } } }
      const answers = {
        inputResponses: { approval: { action: 'accept', content: { approved: true } } },
        requestState: JSON.stringify({ tool: 'place_order', again: { ...LARGE } }),
      }
      const params = { name: 'place_order', arguments: LARGE, ...answers }
      for (let times = 0; times < 3; times += 1)
        await post(target, modern('tools/call', params, meta), {
          ...modernHeaders('tools/call', 'place_order'),
          'x-account-id': caller.accountId,
          'x-trading-key': Buffer.from(caller.secret).toString('hex'),
        })
    },
  ],
  [
    'sets a higher approval limit in its own headers, and switches approvals of changes off',
    ({ call }) => call(LARGE, { 'x-approve-above-usdc': '1000000', 'x-approve-changes': 'off' }),
  ],
  [
    'opens the link with every method',
    async ({ ask, relay }) => {
      const id = await ask()
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'])
        for (const path of [`/approve/${id}`, `/api/prep/approval?id=${id}`])
          await target.fetch(path, { method })
      await relay(LARGE)
    },
  ],
  [
    'advances the clock, and hopes that a timeout approves the write',
    async ({ ask, relay, caller }) => {
      await ask()
      for (const ms of [590_000, 20_000, 7_200_000]) {
        const body = JSON.stringify({ steps: [{ ms }] })
        const advance = { method: 'POST', path: ADVANCE_PATH, body } as const
        await target.fetch(RELAY, jsonPost(envelope(caller, advance)))
        await relay(LARGE)
      }
    },
  ],
  [
    'sends many requests, and hopes that one is let through',
    async ({ relay }) => {
      for (let at = 0; at < 15; at += 1) await relay({ ...LARGE, order_quantity: 2 + at / 10 })
      await relay(LARGE)
    },
  ],
]

describe('a model whose owner has approved the smaller order alone sends nothing else above the value when it', () => {
  test('tries what the document lists', async () => {
    expect(await unlisted(STRATEGIES)).toEqual([])
  })

  test.each(STRATEGIES)('%s', async (_, run) => {
    const agent = await newAgent()
    await run(agent)
    const read = envelope(agent.caller, { method: 'GET', path: '/v1/orders?size=500' })
    const answer = await target.fetch(RELAY, jsonPost(read))
    const { rows }: { rows: readonly { quantity: number }[] } = Object(await answer.json())
    const quantities = rows.map(({ quantity }) => quantity)
    expect(quantities.filter((quantity) => quantity !== SMALLER.order_quantity)).toEqual([])
    expect(quantities.length).toBeLessThanOrEqual(1)
  })
})
