import { keccakOfText } from '../../../crypto/keccak.ts'
import { USDC } from '../../engine/money/balances.ts'
import type { Floor } from '../../exchange/floor.ts'
import { holdingsOf, tokenNumber, vaultBalanceOf } from '../../exchange/tokens.ts'
import {
  CHAIN_DECIMALS,
  CHAINS,
  type Chain,
  COLLATERALS,
  type Collateral,
  NO_VAULT,
} from '../../market/chains.ts'
import type { MarketFeed } from '../../market/live-feed.ts'
import { turnoverOf } from '../../market/turnover.ts'
import { micro } from '../../wire/number.ts'
import { queryText } from '../../wire/page.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../wire/row.ts'
import { amountOf } from '../figures.ts'
import { insuranceFund } from './insurance-fund.ts'
import { LEVERAGES } from './leverages.ts'

/** The builder that answers name when the asker names none. */
export const DEFAULT_BROKER = 'demo-x'
const BALANCE_EVERY_MS = 5000

export type PlatformParts = {
  readonly feed: MarketFeed
  readonly floor: () => Floor
  readonly genesisMs: number
}

/** The public rows about the platform as a whole. */
export function platformRows(parts: PlatformParts): readonly VenueRow[] {
  const { feed, floor, genesisMs } = parts
  return [
    publicRead('/v1/public/token', tokens),
    publicRead('/v1/public/chain_info', chains),
    publicRead(LEVERAGES.path, () => LEVERAGES.content),
    publicRead('/v1/public/insurancefund', ({ nowMs }) =>
      insuranceFund(floor(), nowMs, feed.ticksThen),
    ),
    publicRead('/v1/public/vault_balance', (call) => vaultBalances(floor(), call)),
    publicRead('/v1/public/balance/stats', ({ nowMs }) => balances(floor(), nowMs)),
    publicRead('/v1/public/volume/stats', ({ nowMs }) => volumes(feed, genesisMs, nowMs)),
  ]
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
    chain_details: chains.flatMap((chain) => detailsOf(collateral, chain)),
  }
}

function detailsOf({ token, decimals, withdrawFee }: Collateral, { id, contracts }: Chain) {
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

/** Every builder may use every chain here, whichever asks. */
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

function vaultBalances(floor: Floor, { query }: VenueCall) {
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
          balance: tokenNumber(token, Number(vaultBalanceOf(floor, chain, token))),
        }))
        .filter(({ balance }) => token === wanted || token === USDC || Number(balance) > 0),
    ),
  }
}

function balances(floor: Floor, nowMs: number) {
  const { holding, unsettled } = holdingsOf(floor)
  return {
    total_holding: amountOf(holding),
    total_unsettled_balance: amountOf(unsettled),
    last_update_time: Math.floor(nowMs / BALANCE_EVERY_MS) * BALANCE_EVERY_MS,
  }
}

function volumes(feed: MarketFeed, genesisMs: number, nowMs: number) {
  const turnover = turnoverOf(feed, genesisMs, nowMs)
  return {
    perp_volume_ytd: micro(turnover.yearToDate),
    perp_volume_ltd: micro(turnover.lifetime),
    perp_volume_today: micro(turnover.today),
    perp_volume_last_1_day: micro(turnover.lastDay),
    perp_volume_last_7_days: micro(turnover.last7Days),
    perp_volume_last_30_days: micro(turnover.last30Days),
  }
}
