import { keccakOfText } from '../../../crypto/keccak.ts'
import { DAY_MS } from '../../../spec/durations.ts'
import {
  CHAIN_DECIMALS,
  CHAINS,
  type Chain,
  COLLATERALS,
  type Collateral,
  NO_VAULT,
} from '../../market/chains.ts'
import { exponentText } from '../../market/decimal-text.ts'
import type { MarketFeed } from '../../market/seeded-feed.ts'
import { turnoverOf } from '../../market/turnover.ts'
import { worthOf } from '../../units.ts'
import { fixed, micro } from '../../wire/number.ts'
import { queryText } from '../../wire/page.ts'
import { publicRead, type VenueCall, type VenueRow } from '../../wire/row.ts'

const DEFAULT_BROKER = 'demo-x'
const INSURANCE_FUND_START_USDC = 10_000_000
/** Liquidations feed the fund by about so much. */
const INSURANCE_FUND_DAILY_USDC = 1400
const NOTICE = 'These markets are seeded: prices, trades and other traders are made up.'

/** The public rows about the platform as a whole. */
export function platformRows({ feed }: { readonly feed: MarketFeed }): readonly VenueRow[] {
  return [
    publicRead('/v1/public/system_info', () => ({
      status: 0,
      msg: 'System is functioning properly.',
      scheduled_maintenance: null,
    })),
    publicRead('/v1/public/token', tokens),
    publicRead('/v1/public/chain_info', chains),
    publicRead('/v1/public/config', () => ({
      available_futures_leverage: '1,2,3,4,5,10,15,20,50,100',
    })),
    publicRead('/v1/public/insurancefund', ({ nowMs }) => insuranceFund(feed, nowMs)),
    publicRead('/v1/public/vault_balance', (call) => vaultBalances(feed, call)),
    publicRead('/v1/public/balance/stats', ({ nowMs }) => balances(feed, nowMs)),
    publicRead('/v1/public/volume/stats', ({ nowMs }) => volumes(feed, nowMs)),
    publicRead('/v1/public/announcement', () => ({
      rows: [{ announcement_id: 1, message: NOTICE, url: '' }],
    })),
    publicRead('/v2/public/announcement', () => announcements(feed)),
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

/** The fund holds cash and no positions, so that all its totals are its balance. */
function insuranceFund(feed: MarketFeed, nowMs: number) {
  const days = Math.max(0, (nowMs - feed.genesisMs) / DAY_MS)
  const balance = exponentText(INSURANCE_FUND_START_USDC + days * INSURANCE_FUND_DAILY_USDC)
  return {
    min_insurance_fund_initial_margin_ratio: 0.3,
    min_insurance_fund_margin_ratio: 0.25,
    margin_ratio: 10,
    total_collateral_value: balance,
    balance,
    free_collateral: balance,
    total_account_value: balance,
    total_pnl_24_h: 0,
    rows: [...feed.instruments.keys()].map((symbol) => ({
      symbol,
      timestamp: nowMs,
      position_qty: 0,
      cost_position: 0,
      last_sum_unitary_funding: fixed(feed.funding(symbol, nowMs).sumUnitary),
      settle_price: 0,
      average_open_price: 0,
      pnl_24_h: 0,
      fee_24_h: 0,
      mark_price: fixed(feed.mark(symbol, nowMs)),
    })),
  }
}

function vaultBalances(feed: MarketFeed, { query, nowMs }: VenueCall) {
  const chainId = queryText(query, 'chain_id')
  const isAsked = (id: number) => chainId === null || String(id) === chainId
  const token = queryText(query, 'token') ?? 'USDC'
  const holding = holdingOf(feed, nowMs)
  const rows = CHAINS.filter(
    ({ id, contracts }) => isAsked(id) && contracts['USDC'] && token === 'USDC',
  )
  return {
    rows: rows.map(({ id, sharePercent }) => ({
      chain_id: id,
      token: 'USDC',
      balance: micro((holding * BigInt(sharePercent)) / 100n),
    })),
  }
}

function balances(feed: MarketFeed, nowMs: number) {
  return {
    total_holding: micro(holdingOf(feed, nowMs)),
    total_unsettled_balance: micro(holdingOf(feed, nowMs) / 50n),
    last_update_time: Math.floor(nowMs / feed.bucketMs) * feed.bucketMs,
  }
}

/** What traders have deposited, USDC with six decimals: a third of what is open, so about three times leverage. */
function holdingOf(feed: MarketFeed, nowMs: number): bigint {
  let open = 0n
  for (const symbol of feed.instruments.keys()) {
    open += worthOf(feed.mark(symbol, nowMs), feed.openInterest(symbol, nowMs).total)
  }
  return (open * 2n) / 3n
}

function volumes(feed: MarketFeed, nowMs: number) {
  const turnover = turnoverOf(feed, nowMs)
  return {
    perp_volume_ytd: micro(turnover.yearToDate),
    perp_volume_ltd: micro(turnover.lifetime),
    perp_volume_today: micro(turnover.today),
    perp_volume_last_1_day: micro(turnover.lastDay),
    perp_volume_last_7_days: micro(turnover.last7Days),
    perp_volume_last_30_days: micro(turnover.last30Days),
  }
}

function announcements(feed: MarketFeed) {
  const row = {
    announcement_id: '1',
    message: NOTICE,
    i18n: { zh: null },
    url: null,
    type: 'NOTICE',
    updated_time: feed.genesisMs,
    coverImage: null,
  }
  return { last_updated_time: feed.genesisMs, rows: [row] }
}
