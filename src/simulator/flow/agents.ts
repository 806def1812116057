import { addBalance, canWithdraw, USDC } from '../ledger/balances.ts'
import { accountMargin } from '../margin/margin.ts'
import { deposit, openAccount, openMarketAccount } from '../state/accounts.ts'
import { plan } from '../state/queue.ts'
import type { Account } from '../state/state.ts'
import type { Agent, AgentRole, EngineWorld, Scene } from '../state/world.ts'
import { agentKey, bps, enterAgent } from '../traders/population.ts'
import { planFirst } from './orders.ts'
import { MAKERS } from './quoting.ts'
import { agentAt, flowStep } from './step.ts'

/** The agents of one kind: the stake of each agent in units, and the agents' fees in basis points. */
type Terms = { readonly stakes: readonly number[]; readonly taker: number; readonly maker: number }

const FLOW_AGENTS = {
  makers: { role: 'maker', stakes: MAKERS.map(({ stake }) => stake), taker: 3, maker: 0 },
  takers: { role: 'taker', stakes: [60, 60, 60, 60], taker: 2, maker: 0 },
  arbitrageurs: { role: 'arbitrageur', stakes: [80], taker: 2, maker: 0 },
  passive: { role: 'passive', stakes: [30], taker: 5, maker: 2 },
} as const satisfies Record<string, Terms & { readonly role: AgentRole }>

const LEVERAGE = 10

/** Adds the agents that trade a market's order flow. Each agent has a separate account and stake. */
export function populateFlow(world: EngineWorld, scene: Scene): void {
  const { flow, market } = scene
  if (!flow) return
  planFirst(flowStep(world, scene, flow, world.beginsAtMs))
  const unitMicros = flow.unitSteps * scene.index * market.spec.unit
  for (const kind of ['makers', 'takers', 'arbitrageurs', 'passive'] as const) {
    const { role, stakes, taker, maker } = FLOW_AGENTS[kind]
    const fees = { taker: bps(taker), maker: bps(maker) }
    for (const [rank, units] of stakes.entries()) {
      const stake = Math.round(units * unitMicros)
      const name = `${role}/${market.spec.symbol}`
      const agent = enterAgent(world, {
        role,
        rank,
        market: market.number,
        name,
        leverage: LEVERAGE,
        fees,
        stake,
      })
      openMarketAccount(agent.account, market)
      flow.agents[kind].push(agent.number)
      if (role === 'maker') plan(world.queue, world.beginsAtMs, 'requote', agent.number)
    }
  }
}

/** Above this share of its stake, a maker pays out. */
const EXCESS_FROM = 1.2
/** The share of its stake that a maker keeps when it pays out. */
const EXCESS_KEPT_SHARE = 1.1
/** Below this share of its stake, a maker gets its stake back. */
const REPLACED_BELOW = 0.3
/** Below this share of its stake, a taker receives income. */
const INCOME_BELOW = 0.8

/**
 * Balances the agents once per day. Makers and arbitrageurs pay earnings beyond their stakes into the reserve, and get
 * their stake back after large losses. Takers and holders receive income. The reserve pays first, money from outside
 * pays the rest. This bounds every agent's gain and loss. Without income, a holder could be liquidated, and its large
 * position would empty one side of the book for days.
 */
export function settleStakes(world: EngineWorld, { flow, market }: Scene): void {
  if (!flow) return
  const holders = world.agents.filter(
    ({ role, market: number }) => role === 'holder' && number === market.number,
  )
  const { makers, arbitrageurs, takers, passive } = flow.agents
  for (const number of [...makers, ...arbitrageurs]) {
    const agent = agentAt(world, number)
    const { collateral } = accountMargin(agent.account)
    if (collateral > EXCESS_FROM * agent.stake)
      payIntoReserve(world, agent, Math.floor(collateral - EXCESS_KEPT_SHARE * agent.stake))
    else if (collateral < REPLACED_BELOW * agent.stake)
      payFromReserve(world, agent, agent.stake - collateral)
  }
  for (const agent of [...[...takers, ...passive].map((at) => agentAt(world, at)), ...holders]) {
    const { collateral } = accountMargin(agent.account)
    if (collateral < INCOME_BELOW * agent.stake)
      payFromReserve(world, agent, agent.stake - collateral)
  }
}

function payIntoReserve(world: EngineWorld, { account }: Agent, amount: number): void {
  if (!canWithdraw(world, account, USDC, amount)) return
  addBalance(world, account, USDC, -amount)
  addBalance(world, openReserve(world), USDC, amount)
}

function payFromReserve(world: EngineWorld, { account }: Agent, amount: number): void {
  const reserve = openReserve(world)
  const own = Math.min(amount, reserve.holding)
  addBalance(world, reserve, USDC, -own)
  addBalance(world, account, USDC, own)
  deposit(world.exchange, account, amount - own)
}

/** The account that collects earnings beyond the stakes. */
function openReserve({ exchange, seed }: EngineWorld): Account {
  const key = agentKey(seed, 'flow/reserve')
  return (
    exchange.byKey.get(key) ??
    openAccount(exchange, { key, fees: NO_FEES, leverage: 1, kind: 'agent' })
  )
}

const NO_FEES = { taker: 0, maker: 0 }
