import { expect, test } from 'bun:test'
import { checkExchange } from '../../../src/simulator/engine/check.ts'
import { advance } from '../../../src/simulator/engine/run.ts'
import { checkFinished } from '../../../src/simulator/history/check.ts'
import { createPastRows } from '../../../src/simulator/history/past-rows.ts'
import { createRecords } from '../../../src/simulator/history/records.ts'
import type { Account, EngineMarket, EngineOrder } from '../../../src/simulator/state/state.ts'
import type { EngineWorld } from '../../../src/simulator/state/world.ts'
import { smallWorld, WORLD_START_MS } from './worlds.ts'

function lived(): EngineWorld {
  const world = smallWorld(6)
  advance(world, WORLD_START_MS + 30 * 60_000)
  return world
}

function parts({ exchange, scenes }: EngineWorld) {
  const market = scenes[0]?.market
  const order = market?.book.bids.best?.head
  if (!market || !order) throw new Error('nothing rests')
  return { exchange, market, order, account: order.marketAccount.account }
}

type Parts = {
  readonly market: EngineMarket
  readonly order: EngineOrder
  readonly account: Account
}

const PLANTED: readonly (readonly [
  what: string,
  plant: (parts: Parts) => void,
  messages: RegExp,
])[] = [
  [
    'a bid at the price of the best ask',
    ({ market }) => {
      market.book.bids.best = market.book.asks.best
    },
    /crossed at/,
  ],
  [
    'an order filled beyond its quantity',
    ({ order }) => {
      order.executed = order.quantity + 1
    },
    /overfilled/,
  ],
  [
    'an account below its maintenance margin',
    ({ account, market }) => {
      const marketAccount = account.marketAccounts.get(market.number)
      if (marketAccount)
        Object.assign(marketAccount, { cost: marketAccount.cost + 1e15, quantity: 1000, stamp: -1 })
    },
    /below its maintenance margin/,
  ],
  [
    'a position that nobody is against',
    ({ account, market }) => {
      const marketAccount = account.marketAccounts.get(market.number)
      if (marketAccount) marketAccount.quantity += 1
    },
    /positions sum to 1/,
  ],
  [
    'money from nowhere',
    ({ account }) => {
      account.holding += 1
    },
    /money/,
  ],
  [
    'an order in a market that takes none',
    ({ market }) => {
      market.status = 'DELISTED'
    },
    /rest in a market that is DELISTED/,
  ],
]

test.each([...PLANTED])('%s is found', (_, plant, messages) => {
  const world = lived()
  expect(checkExchange(world.exchange)).toEqual([])
  plant(parts(world))
  expect(checkExchange(world.exchange).join('\n')).toMatch(messages)
})

test('a finished order that cannot have come about is found, and a liquidation of more than was held', () => {
  const world = lived()
  const journal = createRecords(createPastRows())
  const { order, account } = parts(world)
  const { marketAccount: _, level: __, previous: ___, next: ____, ...row } = order
  const user = { ...account, kind: 'user' } as const
  world.exchange.accounts.push(user)
  const finished = { ...row, market: 0, isolated: false }
  journal.of(user).orders.push({ ...finished, status: 'FILLED', executed: row.quantity })
  expect(checkFinished(world, journal)).toEqual([])
  journal.of(user).orders.push({ ...finished, status: 'FILLED', executed: row.quantity - 1 })
  journal.of(user).orders.push({ ...finished, status: 'CANCELLED', executed: row.quantity + 1 })
  expect(checkFinished(world, journal)).toHaveLength(2)
})
