import { DAY_MS } from '../../../contract/durations.ts'
import { keccakOfText } from '../../../core/crypto/keccak.ts'
import { exponentText } from '../../base/decimals.ts'
import { MICRO } from '../../base/units.ts'
import type { Simulation } from '../../exchange/simulation.ts'
import { chainVaultBalance, customerHoldings, tokenNumber } from '../../exchange/tokens.ts'
import type { HistoricalPrice } from '../../exchange/trading-context.ts'
import type { MarketFeed } from '../../feed/live-feed.ts'
import { venueTurnover } from '../../feed/turnover.ts'
import type { FundFlow } from '../../history/fund.ts'
import { USDC } from '../../ledger/balances.ts'
import {
  CHAIN_DECIMALS,
  CHAINS,
  type Chain,
  COLLATERALS,
  type Collateral,
  NO_VAULT,
} from '../../listing/chains.ts'
import { accountMargin, freeCollateralAmount, refresh } from '../../margin/margin.ts'
import { queryText } from '../../messages/page.ts'
import { publicReadRows, type VenueCall, type VenueRow } from '../../messages/row.ts'
import { micro, wirePrice, wireQuantity, wireRate, wireUsdc } from '../../messages/values.ts'
import { notionalAt } from '../../state/markets.ts'
import type { EngineMarket, MarketAccount } from '../../state/state.ts'

/** The builder that answers name by default. */
export const DEFAULT_BROKER = 'demo-x'
const BALANCE_EVERY_MS = 5000

type PlatformSources = {
  readonly feed: MarketFeed
  readonly simulation: () => Simulation
  readonly beginsAtMs: number
}

/** Public endpoints about the platform as a whole. */
export function platformRows(parts: PlatformSources): readonly VenueRow[] {
  const { feed, simulation, beginsAtMs } = parts
  return publicReadRows({
    '/v1/public/token': tokens,
    '/v1/public/chain_info': chains,
    [LEVERAGES.path]: () => LEVERAGES.content,
    '/v1/public/insurancefund': ({ nowMs }) => insuranceFund(simulation(), nowMs, feed.ticksThen),
    '/v1/public/vault_balance': (call) => vaultBalances(simulation(), call),
    '/v1/public/balance/stats': ({ nowMs }) => balances(simulation(), nowMs),
    '/v1/public/volume/stats': ({ nowMs }) => volumes(feed, beginsAtMs, nowMs),
  })
}

function tokens({ query }: VenueCall) {
  const chainId = queryText(query, 'chain_id')
  const chosen = CHAINS.filter(({ id }) => chainId === null || String(id) === chainId)
  return { rows: COLLATERALS.map((collateral) => tokenRow(collateral, chosen)) }
}

function tokenRow(collateral: Collateral, chains: readonly Chain[]) {
  const { token } = collateral
  return {
    token,
    base_weight: collateral.baseWeight,
    discount_factor: collateral.discountFactor,
    haircut: collateral.haircut,
    user_max_qty: collateral.userMaxQuantity,
    is_collateral: true,
    decimals: collateral.decimals,
    minimum_withdraw_amount: collateral.minimumWithdraw,
    on_chain_swap: false,
    token_hash: keccakOfText(token),
    chain_details: chains.flatMap((chain) => chainDetails(collateral, chain)),
  }
}

function chainDetails({ token, decimals, withdrawFee }: Collateral, { id, contracts }: Chain) {
  const contract = contracts[token]
  if (contract === undefined) return []
  return [
    {
      chain_id: String(id),
      contract_address: contract,
      cross_chain_withdrawal_fee: 0,
      decimals: CHAIN_DECIMALS.get(`${token}@${id}`) ?? decimals,
      withdraw_fee: withdrawFee,
      display_name: token,
      exclusive_deposit_supported: false,
    },
  ]
}

/** The chains. Every builder may use every chain. */
function chains({ query }: VenueCall) {
  const broker = queryText(query, 'broker_id') ?? DEFAULT_BROKER
  const rows = CHAINS.map((chain) => ({
    name: chain.name,
    public_rpc_url: chain.rpcUrl,
    chain_id: String(chain.id),
    currency_symbol: chain.currency,
    currency_decimal: 18,
    explorer_base_url: chain.explorerUrl,
    vault_address: NO_VAULT,
    broker_ids: [broker],
  }))
  return { rows }
}

function vaultBalances(simulation: Simulation, { query }: VenueCall) {
  const chainId = queryText(query, 'chain_id')
  const wanted = queryText(query, 'token')
  const chains = CHAINS.filter(({ id }) => chainId === null || String(id) === chainId)
  const tokens = COLLATERALS.filter(({ token }) => wanted === null || token === wanted)
  return {
    rows: tokens.flatMap(({ token }) =>
      chains
        .filter(({ contracts }) => contracts[token] !== undefined)
        .map((chain) => ({
          chain_id: chain.id,
          token,
          balance: tokenNumber(token, Number(chainVaultBalance(simulation, chain, token))),
        }))
        .filter(({ balance }) => token === wanted || token === USDC || Number(balance) > 0),
    ),
  }
}

function balances(simulation: Simulation, nowMs: number) {
  const { holding, unsettled } = customerHoldings(simulation)
  return {
    total_holding: wireUsdc(holding),
    total_unsettled_balance: wireUsdc(unsettled),
    last_update_time: Math.floor(nowMs / BALANCE_EVERY_MS) * BALANCE_EVERY_MS,
  }
}

function volumes(feed: MarketFeed, beginsAtMs: number, nowMs: number) {
  const turnover = venueTurnover(feed, beginsAtMs, nowMs)
  return {
    perp_volume_ytd: micro(turnover.yearToDate),
    perp_volume_ltd: micro(turnover.lifetime),
    perp_volume_today: micro(turnover.today),
    perp_volume_last_1_day: micro(turnover.lastDay),
    perp_volume_last_7_days: micro(turnover.last7Days),
    perp_volume_last_30_days: micro(turnover.last30Days),
  }
}

const RATIO_WITHOUT_POSITION = 10

/** GET /v1/public/insurancefund: the account that takes over positions that no liquidator takes. */
function insuranceFund(simulation: Simulation, nowMs: number, priceThen: HistoricalPrice) {
  const { fund, exchange } = simulation.engine.world
  const margin = accountMargin(fund)
  const { collateral, notional } = margin
  const value = usdcText(collateral)
  const flows = simulation.fund.flows(nowMs)
  const days = exchange.markets.map((market) => {
    const own = flows.filter((flow) => flow.market === market.number)
    return fundDayResult(fund.marketAccounts.get(market.number), own, market, priceThen, nowMs)
  })
  return {
    min_insurance_fund_initial_margin_ratio: 0.3,
    min_insurance_fund_margin_ratio: 0.25,
    margin_ratio: notional === 0 ? RATIO_WITHOUT_POSITION : collateral / notional,
    total_collateral_value: value,
    balance: usdcText(fund.holding),
    free_collateral: usdcText(freeCollateralAmount(margin)),
    total_account_value: value,
    total_pnl_24_h: wireUsdc(days.reduce((sum, day) => sum + day.pnl + day.fees + day.left, 0)),
    rows: exchange.markets.map(({ number, spec, mark, sumUnitary }) => ({
      symbol: spec.symbol,
      timestamp: nowMs,
      mark_price: wirePrice(spec, mark),
      last_sum_unitary_funding: wireRate(sumUnitary),
      ...fundHolding(fund.marketAccounts.get(number)),
      pnl_24_h: wireUsdc(days[number]?.pnl ?? 0),
      fee_24_h: wireUsdc(days[number]?.fees ?? 0),
    })),
  }
}

/** The fund's gain in a market within 24 hours: by its position, by fees, and by balances that it took over. */
function fundDayResult(
  marketAccount: MarketAccount | undefined,
  flows: readonly FundFlow[],
  market: EngineMarket,
  priceThen: HistoricalPrice,
  nowMs: number,
) {
  const sum = (figureOf: (flow: FundFlow) => number) =>
    flows.reduce((total, flow) => total + figureOf(flow), 0)
  const now = marketAccount?.quantity ?? 0
  const before = now - sum(({ quantity }) => quantity)
  const price = before === 0 ? 0 : priceThen(market, nowMs - DAY_MS)
  const gained = notionalAt(market.spec, market.mark, now) - notionalAt(market.spec, price, before)
  return {
    pnl: gained - sum(({ paid }) => paid),
    fees: sum(({ fees }) => fees),
    left: sum(({ transferred }) => transferred),
  }
}

function fundHolding(marketAccount: MarketAccount | undefined) {
  if (!marketAccount) return EMPTY
  refresh(marketAccount)
  return {
    ...EMPTY,
    position_qty: wireQuantity(marketAccount.market.spec, marketAccount.quantity),
    cost_position: wireUsdc(marketAccount.cost),
    settle_price: wireRate(marketAccount.settlePrice || marketAccount.averageOpen),
    average_open_price: wireRate(marketAccount.averageOpen),
  }
}

const EMPTY = {
  position_qty: 0,
  cost_position: 0,
  settle_price: 0,
  average_open_price: 0,
}

function usdcText(amount: number): string {
  return exponentText(amount / MICRO)
}

/** Paths with constant answers, which need no simulation. */
export const CONSTANT_PATHS: ReadonlySet<string> = new Set([
  '/v1/get_account',
  '/v1/get_all_accounts',
  '/v1/get_broker',
  '/v1/get_orderly_key',
  '/v1/ip_info',
  '/v1/public/account',
  '/v1/public/announcement',
  '/v1/public/chain_info',
  '/v1/public/config',
  '/v1/public/system_info',
  '/v1/public/token',
  '/v1/registration_nonce',
  '/v1/tv/config',
  '/v1/tv/symbol_info',
  '/v2/public/announcement',
])

/** The leverages that users can select, which never change. */
const LEVERAGES = {
  path: '/v1/public/config',
  content: { available_futures_leverage: '1,2,3,4,5,10,15,20,50,100' },
} as const
