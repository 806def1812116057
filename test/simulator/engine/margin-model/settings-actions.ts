import type { Asked } from './asked.ts'
import { pick } from './asked.ts'
import { type Figures, figuresOf, initialRate, sum, type World } from './figures.ts'
import * as ledger from './ledger.ts'
import type { Scenario, Side } from './scenario.ts'

const LEVERAGES = [1, 2, 3, 5, 8, 10, 15, 20, 33, 50, 75, 100] as const

/** Asks for another leverage. */
export function changeLeverage(scenario: Scenario, { account }: Side, world: World): Asked {
  const symbol = pick(scenario, scenario.wire.symbols)
  const margin_mode = pick(scenario, ['CROSS', 'ISOLATED'] as const)
  const leverage = pick(scenario, LEVERAGES)
  const accept = () => void account.leverages.set(ledger.keyOf(symbol, margin_mode), leverage)
  const asked = { method: 'POST', path: '/v1/client/leverages' } as const
  const body = { symbol, margin_mode, leverage }
  const name = `leverage ${margin_mode}`
  const expected = leverable({ account, world, symbol, mode: margin_mode, leverage })
  return { name, ...asked, body, accept, expected }
}

type Levering = {
  readonly account: ledger.Account
  readonly world: World
  readonly symbol: string
  readonly mode: ledger.Mode
  readonly leverage: number
}

function leverable({ account, world, symbol, mode, leverage }: Levering): Asked['expected'] {
  const rules = world.rules.get(symbol)
  if (!rules || leverage > Math.floor(1 / rules.baseImr + 1e-9)) return 'refused'
  const isUsed = ledger.isInUse(account, symbol, mode)
  if (mode === 'ISOLATED' && isUsed) return 'refused'
  const was = figuresOf(account, world)
  const market = was.markets.get(ledger.keyOf(symbol, mode))
  const spare = was.collateral - was.initialWithOrders
  // An idle market changes nothing; the account's margin is checked all the same.
  if (!isUsed || !market) return spare > 0.01 ? 'accepted' : null
  const notionalMax = (1 / (leverage * rules.factor)) ** 1.25
  if (market.notional > notionalMax * 1.001) return 'refused'
  if (market.notionalWithOrders > notionalMax * 0.999) return null
  const rate = initialRate(rules, leverage, market.notionalWithOrders)
  const initial = was.initialWithOrders + market.notionalWithOrders * (rate - market.imrWithOrders)
  if (Math.abs(was.collateral - initial) < 0.01) return null
  return was.collateral > initial ? 'accepted' : 'refused'
}

/** Asks for a default margin mode, which is refused while the present one is in use. */
export function changeMode(scenario: Scenario, { account }: Side): Asked {
  const symbol = pick(scenario, scenario.wire.symbols)
  const mode = pick(scenario, ['CROSS', 'ISOLATED'] as const)
  const now = ledger.modeOf(account, symbol)
  const isRefused = now !== mode && ledger.isInUse(account, symbol, now)
  return {
    ...{ name: 'mode', method: 'POST', path: '/v1/client/margin_mode' },
    body: { symbol, default_margin_mode: mode },
    accept: () => void account.modes.set(symbol, mode),
    expected: isRefused ? 'refused' : 'accepted',
  }
}

/** Adds margin to an isolated position, or takes some out. */
export function moveMargin(scenario: Scenario, { account }: Side, world: World): Asked | null {
  const { rng } = scenario
  const held = [...account.positions.values()].filter(
    ({ mode, quantity }) => mode === 'ISOLATED' && quantity !== 0,
  )
  const position = pick(scenario, held)
  if (!position) return null
  const adds = rng() < 0.5
  const figures = figuresOf(account, world)
  const most = adds ? figures.free * 1.2 : position.margin
  const amount = Math.ceil(rng() * most * 1000) / 1000
  if (amount <= 0) return null
  const signed = adds ? amount : -amount
  return {
    name: adds ? 'add margin' : 'reduce margin',
    ...{ method: 'POST', path: '/v1/position_margin' },
    body: { symbol: position.symbol, type: adds ? 'ADD' : 'REDUCE', amount: String(amount) },
    expected: adds ? addable(account, figures, amount) : null,
    accept: () => {
      position.margin += signed
      account.usdc -= signed
    },
  }
}

/** Margin is added out of the balance, and never out of what other positions need. */
function addable({ usdc }: ledger.Account, figures: Figures, amount: number): Asked['expected'] {
  const free = figures.collateral - figures.initialWithOrders
  const won = sum([...figures.markets.values()], ({ mode, unsettled }) =>
    mode === 'CROSS' ? unsettled : 0,
  )
  if (amount > Math.min(usdc, free) + 0.01) return 'refused'
  return amount < Math.min(usdc, free - Math.max(0, won)) - 0.01 ? 'accepted' : null
}
