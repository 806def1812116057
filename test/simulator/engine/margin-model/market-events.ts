import { compare } from './account-check.ts'
import { onTick, pick } from './asked.ts'
import { figuresOf } from './figures.ts'
import * as ledger from './ledger.ts'
import { count, type Scenario, type Side, worldOf } from './scenario.ts'
import type { Row } from './wire.ts'

const HOUR_MS = 3_600_000
const SPREAD = 0.0003

/** Quotes every market, and gives every account something to begin with, some of them much. */
export function begin({ wire, sides, rng }: Scenario): void {
  for (const symbol of wire.symbols) wire.quote(symbol, SPREAD)
  for (const { client, account } of sides) {
    account.usdc = Math.ceil(rng() * (rng() < 0.3 ? 60_000 : 6000))
    wire.fund(client, 'USDC', account.usdc)
  }
}

async function everybody(scenario: Scenario, at: string): Promise<void> {
  for (const side of scenario.sides) {
    const { positions, orders } = side.account
    if (positions.size > 0 || orders.length > 0) await compare(scenario, side, at)
  }
}

/** Moves an index by a random share. */
export async function jump(scenario: Scenario, at: string): Promise<void> {
  const { wire, rng } = scenario
  const symbol = pick(scenario, wire.symbols)
  const far = rng() < 0.4 ? 0.16 : 0.012
  const share = (rng() - 0.5) * 2 * far
  const index = wire.now().get(symbol)?.index ?? 0
  await moveTo(scenario, {
    symbol,
    price: index * (1 + share),
    at: `${at} jump ${symbol} ${share}`,
  })
}

/** Moves an index to a price near which the model would liquidate a position. */
export async function squeeze(scenario: Scenario, at: string): Promise<void> {
  const { rng } = scenario
  const world = worldOf(scenario)
  const held = scenario.sides.flatMap(({ account }) =>
    [...figuresOf(account, world).markets.values()].filter(
      ({ liquidation, mark }) => liquidation > mark * 0.6 && liquidation < mark * 1.6,
    ),
  )
  const market = pick(scenario, held)
  if (!market) return
  const { symbol, position, liquidation } = market
  const beyond = (rng() * 0.008 - 0.003) * -Math.sign(position.quantity)
  await moveTo(scenario, {
    symbol,
    price: liquidation * (1 + beyond),
    at: `${at} squeeze ${symbol}`,
  })
}

type Move = { readonly symbol: string; readonly price: number; readonly at: string }

/** Moves an index while nobody quotes, then lets the market maker quote again. */
async function moveTo(scenario: Scenario, { symbol, price, at }: Move): Promise<void> {
  const { wire } = scenario
  wire.quote(symbol, null)
  wire.jump(symbol, onTick(price))
  await everybody(scenario, at)
  wire.quote(symbol, SPREAD)
  await everybody(scenario, `${at} quoted`)
}

/** Lets time go by. */
export async function pass(scenario: Scenario, at: string): Promise<void> {
  const ms = pick(scenario, [15_000, 60_000, HOUR_MS, 3 * HOUR_MS])
  // The model charges funding at the end of a step, so that no step has two payments.
  for (let left = ms; left > 0; left -= HOUR_MS) {
    scenario.wire.pass(Math.min(left, HOUR_MS))
    await everybody(scenario, `${at} pass ${ms}, ${left} left`)
  }
}

/** Pays in. */
export async function fund(scenario: Scenario, side: Side, at: string): Promise<void> {
  const { wire, rng } = scenario
  const token = pick(scenario, ['USDC', 'USDC', 'USDT', 'ETH'])
  const most = {
    USDC: 4000,
    USDT: rng() < 0.05 ? 250_000 : 2000,
    ETH: rng() < 0.05 ? 150 : 1,
  }
  const amount = Math.ceil(rng() * most[token as keyof typeof most] * 1000) / 1000
  wire.fund(side.client, token, amount)
  const { account } = side
  if (token === 'USDC') account.usdc += amount
  else account.tokens.set(token, (account.tokens.get(token) ?? 0) + amount)
  await compare(scenario, side, `${at} fund ${token} ${amount}`)
}

/** Settles the first account's PnL, and whatever the venue settles with it. */
export async function settle(scenario: Scenario, at: string): Promise<void> {
  const { wire, sides } = scenario
  const { status } = await wire.settle()
  count(scenario, `settle ${status === 200 ? 'accepted' : 'refused'}`)
  wire.pass(60_000)
  for (const side of sides) {
    const { data } = await side.client.call('GET', '/v1/pnl_settlement/history?size=100')
    for (const row of data.rows as Row[]) {
      if (side.settlements.has(row['id'])) continue
      side.settlements.add(row['id'])
      for (const { symbol, settled_amount } of row['symbols']) {
        const position = ledger.positionOf(side.account, symbol, 'CROSS')
        position.cost += settled_amount
        position.funding = 0
        side.account.usdc += settled_amount
        side.slack += 0.000001
      }
    }
  }
  await everybody(scenario, `${at} settle`)
}
