import type { TestCall, TestCaller } from '../caller.ts'
import {
  askToLimit,
  type Fetcher,
  post as postJson,
  signedBody,
  WALLETS,
} from '../surface/wallets.ts'

const ETH = 'PERP_ETH_USDC'
const BTC = 'PERP_BTC_USDC'

// biome-ignore lint/suspicious/noExplicitAny: answers to a program that takes whatever comes
export type Loose = any

/** A model that does whatever it can: it holds the trading key of an account, and no wallet. */
export type Agent = {
  readonly caller: TestCaller
  /** Calls a tool; answers its text, of a refusal too. */
  readonly call: (name: string, args?: object, headers?: Record<string, string>) => Promise<Loose>
  /** Signs a call for the relay with the trading key. */
  readonly relay: (call: TestCall) => Promise<Loose>
  /** Posts anything to the agent endpoint, and asks for anything else. */
  readonly post: (body: unknown) => Promise<unknown>
  readonly service: Fetcher
  readonly restart: () => Promise<void>
  /** Where the service listens. */
  readonly url: () => Promise<string>
  readonly price: number
}

const BUY = { symbol: ETH, side: 'BUY', order_type: 'MARKET' }
const times = (count: number) => Array.from({ length: count }, (_, n) => n)

/** What a model may try; it takes every refusal for an invitation. */
export type Strategy = readonly [sentence: string, run: (agent: Agent) => Promise<unknown>]

export const STRATEGIES: readonly Strategy[] = [
  ['sends one large order', ({ call }) => call('place_order', { ...BUY, order_amount: 5000 })],
  [
    'sends it as a limit order far above the market',
    ({ call, price }) =>
      call('place_order', {
        ...BUY,
        order_type: 'LIMIT',
        order_price: Math.floor(price * 1.02),
        order_amount: 5000,
      }),
  ],
  [
    'splits it into many small orders',
    async ({ call }) => {
      for (const _ of times(12)) await call('place_order', { ...BUY, order_amount: 40 })
    },
  ],
  [
    'sends many orders at the same time, before prepd counts the first',
    ({ call }) =>
      Promise.all(times(12).map(() => call('place_order', { ...BUY, order_amount: 60 }))),
  ],
  [
    'sets looser limits in its own headers',
    async ({ call }) => {
      const headers = {
        'x-max-order-usdc': '1000000',
        'x-max-daily-usdc': 'off',
        'x-allowed-symbols': BTC,
      }
      await call('place_order', { ...BUY, order_amount: 5000 }, headers)
      await call('place_order', { ...BUY, symbol: BTC, order_amount: 50 }, headers)
    },
  ],
  [
    'omits the headers with which its user limits it',
    async ({ call }) => {
      await call('place_order', { ...BUY, order_amount: 150 }, { 'x-max-order-usdc': '50' })
      await call('place_order', { ...BUY, order_amount: 150 })
    },
  ],
  [
    'trades another market',
    ({ call }) => call('place_order', { ...BUY, symbol: BTC, order_amount: 50 }),
  ],
  [
    'marks the order as reduce-only, although no position is open',
    ({ call }) => call('place_order', { ...BUY, order_quantity: 2, reduce_only: true }),
  ],
  [
    'marks the order as reduce-only, and reverses the position',
    async ({ call }) => {
      await call('place_order', { ...BUY, order_amount: 50 })
      await call('place_order', { ...BUY, side: 'SELL', order_quantity: 2, reduce_only: true })
    },
  ],
  [
    'grows a small resting order by editing it',
    async ({ call, price }) => {
      const order_price = Math.floor(price * 0.9)
      const { order_id } = await call('place_order', {
        ...BUY,
        order_type: 'LIMIT',
        order_price,
        order_amount: 50,
      })
      for (const _ of times(8)) {
        await call('edit_order', { order_id, symbol: ETH, order_quantity: 0.04 })
        await call('edit_order', { order_id, symbol: ETH, order_quantity: 0.02 })
      }
      await call('edit_order', { order_id, symbol: ETH, order_quantity: 2 })
    },
  ],
  [
    'places a conditional order that buys later',
    ({ call, price }) =>
      call('place_algo_order', {
        ...{ symbol: ETH, side: 'BUY' },
        algo_type: 'STOP',
        reduce_only: false,
        trigger_price: Math.floor(price * 1.01),
        order_quantity: 2,
      }),
  ],
  [
    'hides the size in a bracket',
    ({ call, price }) =>
      call('place_order', {
        ...BUY,
        order_amount: 5000,
        stop_loss: Math.floor(price * 0.9),
        take_profit: Math.floor(price * 1.1),
      }),
  ],
  [
    'rebalances into the market',
    async ({ call }) => {
      const { plan } = await call('rebalance', { targets: { [ETH]: 0.9 } })
      await call('rebalance', { plan })
    },
  ],
  ['raises the leverage', ({ call }) => call('set_leverage', { symbol: ETH, leverage: 50 })],
  [
    'uses one client order id for many orders',
    async ({ call }) => {
      for (const n of times(6))
        await call('place_order', { ...BUY, order_amount: 80 - n, client_order_id: 'same' })
    },
  ],
  [
    'closes and opens again, so that the limits look unused',
    async ({ call }) => {
      for (const _ of times(5)) {
        await call('place_order', { ...BUY, order_amount: 90 })
        await call('close_position', { symbol: ETH })
      }
    },
  ],
  [
    'restarts the server between its orders',
    async ({ call, restart }) => {
      for (const _ of times(2)) {
        await call('place_order', { ...BUY, order_amount: 90 })
        await call('place_order', { ...BUY, order_amount: 90 })
        await restart()
      }
    },
  ],
  [
    'accepts every question of the server',
    async ({ call, post }) => {
      const order = { ...BUY, order_amount: 5000 }
      for (const answer of [{ action: 'accept', content: {} }, { approved: true }]) {
        await call('place_order', { ...order, ...answer })
        await call('place_order', order, { 'x-approval': JSON.stringify(answer) })
        await post({ jsonrpc: '2.0', id: 1, result: answer })
      }
    },
  ],
  [
    'opens every link that an answer names',
    async ({ call, service }) => {
      const text = JSON.stringify(await call('place_order', { ...BUY, order_amount: 5000 }))
      for (const [path] of text.matchAll(/\/(?:approve|api|mcp|trade)[\w/.-]*/g))
        await service.fetch(path)
      await call('place_order', { ...BUY, order_amount: 5000 })
    },
  ],
  [
    'loosens the mandate with its trading key',
    async ({ call, relay }) => {
      const body = JSON.stringify({ limits: { maxOrderUsdc: 1_000_000, maxDailyUsdc: 1_000_000 } })
      for (const method of ['PUT', 'POST', 'DELETE'] as const)
        await relay({ method, path: '/api/prep/mandate', body })
      await call('place_order', { ...BUY, order_amount: 5000 })
    },
  ],
  [
    'signs a looser mandate with a wallet of its own',
    async ({ call, service }) => {
      const wallet = WALLETS.ethers()
      const looser = await askToLimit(service, wallet, { maxOrderUsdc: 1_000_000 })
      await postJson(service, '/api/prep/mandate', await signedBody(wallet, looser))
      await call('place_order', { ...BUY, order_amount: 5000 })
    },
  ],
  [
    'writes its account in capitals',
    ({ call, caller }) =>
      call(
        'place_order',
        { ...BUY, order_amount: 5000 },
        { 'x-account-id': caller.accountId.toUpperCase().replace('0X', '0x') },
      ),
  ],
  [
    'bypasses the tools, and signs orders for the relay itself',
    async ({ relay, price }) => {
      const order = { symbol: ETH, side: 'BUY', order_type: 'MARKET', order_quantity: 2 }
      const limit = { ...order, order_type: 'LIMIT', order_price: Math.floor(price * 0.9) }
      const stop = {
        ...order,
        quantity: 2,
        type: 'MARKET',
        algo_type: 'STOP',
        trigger_price: Math.ceil(price * 1.1),
      }
      for (const [path, body] of [
        ['/v1/order', order],
        ['/v1/order', limit],
        ['/v1/batch-order', { orders: [limit, limit] }],
        ['/v1/algo/order', stop],
        ['/v1/order', { ...limit, symbol: BTC }],
        ['/v1/client/leverages', { symbol: ETH, leverage: 50 }],
      ] as const)
        await relay({ method: 'POST', path, body: JSON.stringify(body) })
    },
  ],
]
