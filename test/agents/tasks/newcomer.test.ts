import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { createClient } from '../../../src/agents/client/client.ts'
import { typedDataDigest } from '../../../src/core/crypto/typed-data.ts'
import { signDigest } from '../../../src/core/crypto/wallet-signature.ts'
import { type Opened, openTemporaryAccount } from '../../../src/operator/account/open.ts'
import { temporaryFolder } from '../../surface/spawned.ts'
import { openTarget, type Target } from '../../target.ts'
import { BINARY, urlOf } from '../binary.ts'
import type { Loose } from '../tool-world.ts'
import { type Newcomer, newcomer } from './newcomer.ts'

const ETH = { symbol: 'PERP_ETH_USDC' }
const SOL = { symbol: 'PERP_SOL_USDC' }
const CHAIN_ID = 42_161

/** A person's wallet: signs a document it is shown. */
type Sign = (document: string) => string

type NewTask = {
  readonly asked: string
  /** The fewest calls that can do it, those that the instructions demand among them. */
  readonly fewest: number
  readonly run: (agent: Newcomer, me: { wallet: string; sign: Sign }) => Promise<Loose>
  readonly isDone: (answer: Loose) => boolean
}

let rested: Loose

// biome-ignore format: one task a paragraph
const TASKS: readonly NewTask[] = [
  { asked: 'Is my account open and funded?', fewest: 1,
    run: (agent) => agent.act('get account free collateral'),
    isDone: ({ free_collateral }) => free_collateral > 0 },
  { asked: 'Which market has the lowest funding?', fewest: 1,
    run: (agent) => agent.act('list markets funding', { sort: 'funding', order: 'asc', limit: 1 }),
    isDone: ({ markets }) => markets.length === 1 },
  { asked: 'How did ETH move in the last day?', fewest: 1,
    run: (agent) => agent.act('candles price history', { ...ETH, limit: 24 }),
    isDone: ({ summary }) => summary.startsWith('24 candles') },
  { asked: 'Trade ETH with five times leverage.', fewest: 1,
    run: (agent) => agent.act('set leverage', { ...ETH, leverage: 5 }),
    isDone: ({ leverage }) => leverage === 5 },
  { asked: 'Buy ETH for 500 USDC at the market, and say what it cost.', fewest: 2,
    run: (agent) => agent.act('place order', { ...ETH, side: 'BUY', order_type: 'MARKET', order_amount: 500 }),
    isDone: ({ status, average_price, practice }) => status === 'FILLED' && average_price > 0 && /no real money/.test(practice) },
  { asked: 'Stop me out of ETH ten percent below.', fewest: 2,
    run: async (agent) => {
      const { market } = await agent.act('get market', ETH)
      return agent.act('set take profit and stop loss', { ...ETH, stop_loss_price: Math.floor(market.mark_price * 0.9) })
    },
    isDone: ({ stop_loss_price }) => stop_loss_price > 0 },
  { asked: 'Bid for SOL five percent under the market.', fewest: 3,
    run: async (agent) => {
      const { market } = await agent.act('get market', SOL)
      rested = await agent.act('place order', { ...SOL, side: 'BUY', order_type: 'LIMIT', order_amount: 100, order_price: market.mark_price * 0.95 })
      return rested
    },
    isDone: ({ status }) => status === 'NEW' },
  { asked: 'Take that bid back.', fewest: 1,
    run: (agent) => agent.act('cancel order one', { ...SOL, order_id: rested.order_id }),
    isDone: ({ order_id }) => order_id === rested.order_id },
  { asked: 'Get me out of everything.', fewest: 1,
    run: (agent) => agent.act('close all positions'),
    isDone: ({ closed, failed }) => closed.length === 1 && failed.length === 0 },
  { asked: 'Withdraw 100 USDC to my wallet on Arbitrum.', fewest: 3,
    run: async (agent, { wallet, sign }) => {
      const { rows } = await agent.act('deposit chains')
      const chain_id = rows.find(({ name }: Loose) => name === 'Arbitrum').chainId
      const { typed_data, send } = await agent.act('request withdrawal', { amount: 100, chain_id, wallet })
      return agent.act('request withdrawal', { ...send, signature: sign(typed_data) })
    },
    isDone: ({ moved, practice }) => moved === true && /no real money/.test(practice) },
]

const state = temporaryFolder()
let target: Target
let url: string
beforeAll(async () => {
  target = await openTarget('compiled binary', { LIMIT_MCP: 'off', LIMIT_WRITE: 'off' })
  url = await urlOf(target)
})
afterAll(async () => {
  await target.stop()
  state[Symbol.dispose]()
})

function opened(): Promise<Opened> {
  const transport = (request: Request) => fetch(request)
  const client = createClient({ baseUrl: url, transport, nowMs: Date.now })
  return openTemporaryAccount(client, {
    clock: { nowMs: Date.now },
    random: { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) },
  })
}

async function connect(over: 'http' | 'stdio', { accountId, secret }: Opened): Promise<Client> {
  const hex = Buffer.from(secret).toString('hex')
  const client = new Client({ name: 'newcomer', version: '1' })
  const headers = { 'x-account-id': accountId, 'x-trading-key': hex }
  const env = {
    ...{ SERVICE_API_URL: url, SERVICE_ACCOUNT_ID: accountId, SERVICE_TRADING_KEY: hex },
    XDG_STATE_HOME: state.path,
  }
  const transport =
    over === 'http'
      ? new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } })
      : new StdioClientTransport({
          ...{ command: BINARY, args: ['--mode', 'mcp'], env, stderr: 'ignore' },
        })
  // The SDK's own types disagree under exactOptionalPropertyTypes.
  await client.connect(transport as never)
  return client
}

function walletOf({ wallet }: Opened): Sign {
  return (document) => {
    const { domain, message } = JSON.parse(document)
    expect(domain.chainId).toBe(CHAIN_ID)
    return signDigest(typedDataDigest('Withdraw', message, domain), wallet.secret)
  }
}

describe.each(['http', 'stdio'] as const)(
  'an agent that has read the list alone, over %s',
  (over) => {
    // Slow: an agent trades over a real connection, from its account to its withdrawal.
    test('does ten tasks from the account to the withdrawal in at most half as many calls again as are needed', async () => {
      const owner = await opened()
      const client = await connect(over, owner)
      const { tools } = await client.listTools()
      const agent = newcomer({
        instructions: client.getInstructions() ?? '',
        tools,
        call: async (name, args) => {
          const { content, isError }: Loose = await client.callTool({
            name,
            arguments: { ...args },
          })
          if (isError) throw new Error(`${name}: ${content[0].text}`)
          return JSON.parse(content[0].text)
        },
      })
      const counts: (readonly [number, number])[] = []
      for (const { asked, fewest, run, isDone } of TASKS) {
        const from = agent.calls.length
        const answer = await run(agent, { wallet: owner.wallet.address, sign: walletOf(owner) })
        expect([asked, isDone(answer)]).toEqual([asked, true])
        counts.push([fewest, agent.calls.length - from])
      }
      await client.close()
      expect(counts.length).toBe(10)
      const [fewest, made] = [0, 1].map((at) =>
        counts.reduce((sum, row) => sum + (row[at] ?? 0), 0),
      )
      expect({ fewest, made }).toEqual({ fewest: 16, made: 16 })
      for (const [least, calls] of counts) expect(calls).toBeLessThanOrEqual(1.5 * least)
    })

    test('finds nothing for what no tool says', async () => {
      const client = await connect(over, await opened())
      const { tools } = await client.listTools()
      const agent = newcomer({ instructions: '', tools, call: async () => ({}) })
      await expect(agent.act('zebra giraffe')).rejects.toThrow('no one tool')
      expect(agent.calls).toEqual([])
      await client.close()
    })
  },
)
