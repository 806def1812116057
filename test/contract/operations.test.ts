import { describe, expect, test } from 'bun:test'
import {
  isOperationId,
  OPERATION_GROUPS,
  OPERATIONS,
  type OperationId,
  operationLifetime,
} from '../../src/contract/operations.ts'
import { HOSTS, NAMES, PHRASES } from '../../src/contract/scrub-lists.ts'

// The contract as callers know it, written down a second time: id, parameters (! is required), cache seconds.
// biome-ignore format: one operation a line
const CONTRACT = [
  'markets.list 5',
  'markets.get symbol! 5',
  'markets.rules 3600',
  'markets.rulesFor symbol! 3600',
  'markets.priceChanges 15',
  'markets.openInterest 30',
  'markets.historyCharts time_interval! 60',
  'markets.trades symbol! limit no-store',
  'markets.indexSources 3600',
  'markets.leverage 3600',
  'funding.predicted 30',
  'funding.get symbol! 30',
  'funding.history symbol! start_t end_t page size 60',
  'funding.marketHistory 60',
  'platform.status 30',
  'platform.tokens 3600',
  'platform.chains broker_id 3600',
  'platform.leverageConfig 3600',
  'platform.insuranceFund 60',
  'platform.vaultBalance 60',
  'platform.announcements 300',
  'platform.tvl 300',
  'platform.volume 300',
  'platform.announcementsV2 30',
  'platform.ipInfo no-store',
  'liquidations.open symbol page size 5',
  'liquidations.history symbol start_t end_t page size 30',
  'charts.config 3600',
  'charts.symbols group! 3600',
  'charts.history symbol! resolution! from to countback 10',
  'charts.klineHistory symbol! resolution! from! to! type 10',
  'rewards.epochs 3600',
  'rewards.stages broker_id stage_id status 300',
  'rewards.rankings stage! period! broker_id page size 60',
  'rewards.userMerits address! 60',
  'referral.verify referral_code! 60',
  'referral.check account_id! 60',
  'campaigns.list 300',
  'campaigns.stats campaign_id! 60',
  'campaigns.ranking campaign_id! page size sort_by 60',
  'campaigns.user campaign_id! address! 60',
  'campaigns.statsDetails campaign_id! broker_id symbols group_by 60',
  'campaigns.check campaign_id! type! address! lower_boundary! cmp 30',
  'staking.overview 300',
  'staking.poolInfo 300',
  'staking.batchInfo 300',
  'staking.buyback 300',
  'staking.balance address! 30',
  'staking.unstakeDetails address! 30',
  'staking.vestingList address! is_vesting! 30',
  'staking.valorBatchInfo 30',
  'staking.valorPoolInfo 30',
  'staking.valorRedeem address! 30',
  'staking.valorRedeemV2 address! 30',
  'account.exists address! broker_id chain_type no-store',
  'account.keyInfo account_id! key! address broker_id key_status no-store',
  'account.existsByAccountId account_id no-store',
  'account.registeredBuilders address! chain_type 30',
  'builder.dailyRevenue broker_id! start_date! end_date! 60',
  'builder.list broker_id 3600',
  'builder.stats broker_id 60',
  'builder.marketVolume symbol broker_id 30',
  'builder.listOrderTags broker_id! symbol enum_id include_archived 30',
  'builder.getOrderTag broker_id! enum_id! 30',
  'vault.strategyNonce no-store',
  'vault.info vault_id status broker_ids 30',
  'vault.overallStats broker_ids 30',
  'vault.userOverallStats wallet_address! 30',
  'vault.performance vault_id! 60',
  'vault.performanceChart vault_id! type! time_range! 60',
  'vault.positions vault_id! no-store',
  'vault.openOrders vault_id! symbol sort_by page size no-store',
  'vault.orderHistory vault_id! symbol sort_by page size 60',
  'vault.tradeHistory vault_id! symbol sort_by page size 60',
  'vault.liquidatorHistory vault_id! symbol page size 60',
  'vault.lpInfo wallet_address! vault_id 30',
  'vault.lpPerformance vault_id! wallet_address! 60',
  'vault.lpPerformanceChart vault_id! wallet_address! type! time_range! 60',
  'vault.lpTransactionHistory vault_id! wallet_address! type chain_id source page size 60',
  'vault.lpClaimInfo vault_id! wallet_address! chain_id! 30',
  'vault.lpFeesHistory vault_id! wallet_address! page size 60',
  'vault.strategyProviderInfo vault_id! wallet_address! 30',
  'vault.providerTransactionHistory vault_id! wallet_address! type chain_id source page size 60',
  'vault.providerClaimInfo vault_id! wallet_address! chain_id! 30',
  'vault.providerFeesHistory vault_id! wallet_address! page size 60',
  'vault.fundInfo vault_id! wallet_address! 30',
  'vault.fundPeriodInfo vault_id! wallet_address! period_number page size 60',
  'vault.fundPendingTransactions vault_id! wallet_address! 30',
]

const BRANDS = new Set([...NAMES, ...PHRASES, ...HOSTS])

const IDS = Object.keys(OPERATIONS).filter(isOperationId)

describe('the catalogued operations', () => {
  test('are the 88 of the contract, with their parameters and lifetimes, in its order', () => {
    expect(IDS.map(contractLine)).toEqual(CONTRACT)
    expect(IDS.length).toBe(88)
  })

  test('are grouped by the first word of their id, group after group', () => {
    const groups = IDS.map((id) => OPERATIONS[id].group)
    expect(IDS.every((id) => id.startsWith(`${OPERATIONS[id].group}.`))).toBeTrue()
    expect([...new Set(groups)]).toEqual([...OPERATION_GROUPS])
    expect(groups).toEqual(
      OPERATION_GROUPS.flatMap((group) => groups.filter((other) => other === group)),
    )
  })

  test('have a template for each path parameter, and for nothing else', () => {
    for (const id of IDS) {
      const { path, parameters } = OPERATIONS[id]
      const inPath = parameters.filter((parameter) => parameter.in === 'path')
      expect([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)).toEqual(
        inPath.map(({ name }) => name),
      )
      expect(inPath.every(({ required }) => required)).toBeTrue()
      expect(path.replaceAll(/\{\w+\}/g, 'x')).toMatch(/^\/v[12]\/[a-z0-9_/]+$/)
    }
  })

  test('name each parameter once, and inject only what they list', () => {
    for (const id of IDS) {
      const { parameters, inject = [] } = OPERATIONS[id]
      const names = parameters.map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
      expect(names.filter((name) => name === 'broker_id' || name === 'broker_ids')).toEqual([
        ...inject,
      ])
      expect(
        parameters.filter(({ name, required }) => required && inject.some((n) => n === name)),
      ).toEqual([])
    }
  })

  test('go to the vault host for strategy vaults only', () => {
    for (const id of IDS) {
      const ofVaults = OPERATIONS[id].path.startsWith('/v1/public/strategy_vault/')
      expect(OPERATIONS[id].host).toBe(ofVaults ? 'vaults' : 'main')
    }
  })

  test('have a payload of their own shape for charts and vault fees', () => {
    const shaped = IDS.filter((id) => OPERATIONS[id].envelope !== 'data')
    expect(shaped.map((id) => `${id} ${OPERATIONS[id].envelope}`)).toEqual([
      'charts.config bare',
      'charts.symbols bare',
      'charts.history bare',
      'charts.klineHistory bare',
      'vault.lpFeesHistory data_and_meta',
      'vault.providerFeesHistory data_and_meta',
    ])
  })

  test('are forwarded, but for two', () => {
    const kept = IDS.filter((id) => OPERATIONS[id].answers)
    expect(kept.map((id) => `${id} ${OPERATIONS[id].answers}`)).toEqual([
      'platform.ipInfo here',
      'builder.dailyRevenue signed',
    ])
  })

  test('describe themselves in words that name no venue', () => {
    for (const id of IDS) {
      const { summary, parameters } = OPERATIONS[id]
      for (const text of [summary, ...parameters.map(({ description }) => description)]) {
        expect(text).toMatch(/^[A-Za-z].*\.$/)
        const words = text.toLowerCase().split(/[^a-z0-9.]+|\.(?= |$)/)
        // `0x` is how an address begins.
        expect(words.filter((word) => word !== '0x' && BRANDS.has(word))).toEqual([])
      }
    }
  })
})

describe('an id', () => {
  test.each(['markets.list', 'vault.fundPendingTransactions'])('%s is known', (id) => {
    expect(isOperationId(id)).toBeTrue()
  })

  test.each([
    '',
    'markets',
    'markets.List',
    'markets.list ',
    'constructor',
    '__proto__',
    'toString',
  ])('%j is not', (id) => {
    expect(isOperationId(id)).toBeFalse()
  })
})

describe('a lifetime', () => {
  const cases: [OperationId, number, number, number][] = [
    ['markets.list', 5, 0, 50],
    ['platform.tvl', 300, 0, 3000],
    ['platform.tokens', 3600, 0, 3600],
    ['markets.trades', 0, 0, 0],
  ]
  test.each(cases)(
    'of %s',
    (id, freshSeconds, staleWhileRevalidateSeconds, staleIfErrorSeconds) => {
      expect(operationLifetime(id)).toEqual({
        freshSeconds,
        staleWhileRevalidateSeconds,
        staleIfErrorSeconds,
      })
    },
  )

  test('is never longer stale than an hour, and never stale at all for no-store', () => {
    for (const id of IDS) {
      const { freshSeconds, staleIfErrorSeconds, staleWhileRevalidateSeconds } =
        operationLifetime(id)
      expect(Math.max(staleIfErrorSeconds, staleWhileRevalidateSeconds)).toBeLessThanOrEqual(3600)
      if (freshSeconds === 0) expect(staleIfErrorSeconds + staleWhileRevalidateSeconds).toBe(0)
    }
  })
})

function contractLine(id: OperationId): string {
  const { parameters, freshSeconds, inject = [] } = OPERATIONS[id]
  const injected: readonly string[] = inject
  const names = parameters.map(({ name, required }) => {
    const listedAsRequired = required || (injected.includes(name) && REQUIRED_BUT_OURS.includes(id))
    return listedAsRequired ? `${name}!` : name
  })
  return [id, ...names, freshSeconds === 0 ? 'no-store' : String(freshSeconds)].join(' ')
}

// The contract calls the operator's id required here. Callers never have to send it.
const REQUIRED_BUT_OURS: readonly string[] = [
  'builder.dailyRevenue',
  'builder.listOrderTags',
  'builder.getOrderTag',
]
