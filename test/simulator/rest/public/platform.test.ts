import { describe, expect, test } from 'bun:test'
import { isEip55 } from '../../../../src/core/crypto/checksum.ts'
import { SIX_MARKETS } from '../../embedded-fixture.ts'
import { NOW_MS, openWorld } from '../../feed/calls.ts'

const { exchange, get } = openWorld()

type Detail = { chain_id: string; contract_address: string; decimals: number }
type Token = { token: string; token_hash: string; chain_details: Detail[] }
type Chain = { chain_id: string; vault_address: string; broker_ids: string[] }
type Balances = { rows: { balance: number }[] }
type Fund = { balance: string }
const chains = (query = {}) => get<{ rows: Chain[] }>('/v1/public/chain_info', query).rows
const chainIds = () => chains().map(({ chain_id }) => chain_id)
const tokens = (query = {}) => get<{ rows: Token[] }>('/v1/public/token', query).rows
const usdc = (query = {}) => tokens(query).find(({ token }) => token === 'USDC')

describe('tokens and chains', () => {
  test('name real chains, one of which has no USDC', () => {
    expect(chainIds()).toEqual(['42161', '10', '8453', '1', '137', '43114', '56'])
    const withUsdc = usdc()?.chain_details.map(({ chain_id }) => chain_id) ?? []
    expect(chainIds().filter((id) => !withUsdc.includes(id))).toEqual(['56'])
  })

  test('carry contracts with the right checksum and USDC with six decimals', () => {
    const details = tokens().flatMap(({ chain_details }) => chain_details)
    expect(details.filter(({ contract_address }) => !isEip55(contract_address))).toEqual([])
    expect(usdc()?.chain_details.filter(({ decimals }) => decimals !== 6)).toEqual([])
    expect(usdc()?.token_hash).toBe(
      '0xd6aca1be9729c13d677335161321649cccae6a591554772516700f986f942eaa',
    )
  })

  test('give no vault that could take anyone’s money', () => {
    const vaults = chains().map(({ vault_address }) => vault_address)
    expect([...new Set(vaults)]).toEqual([`0x${'0'.repeat(40)}`])
  })

  test('can be asked for one chain, and for one builder', () => {
    expect(usdc({ chain_id: '10' })?.chain_details.map(({ chain_id }) => chain_id)).toEqual(['10'])
    expect(chains({ broker_id: 'acme' })[0]?.broker_ids).toEqual(['acme'])
  })
})

describe('the platform figures', () => {
  test('sum the turnover of a day from the markets, and grow with the window', () => {
    const volume = get<Record<string, number>>('/v1/public/volume/stats')
    const futures = get<{ rows: { '24h_amount': number }[] }>('/v1/public/futures').rows
    const amounts = futures.map((row) => row['24h_amount'])
    expect(volume['perp_volume_last_1_day']).toBeCloseTo(
      amounts.reduce((sum, amount) => sum + amount, 0),
      3,
    )
    const windows = ['today', 'last_1_day', 'last_7_days', 'last_30_days', 'ytd', 'ltd']
    const figures = windows.map((name) => volume[`perp_volume_${name}`] ?? 0)
    expect(figures).toEqual(figures.toSorted((a, b) => a - b))
  })

  test('estimate longer windows close to what the candles sum to', () => {
    const { feed, get } = openWorld(1, SIX_MARKETS)
    const weekMs = 7 * 86_400_000
    const week = [...feed.instruments.keys()].reduce(
      (sum, symbol) =>
        feed
          .candles(symbol, 3_600_000, NOW_MS - weekMs, NOW_MS + 1, NOW_MS)
          .reduce((all, { amount }) => all + Number(amount) / 1e6, sum),
      0,
    )
    const volume = get<{ perp_volume_last_7_days: number }>('/v1/public/volume/stats')
    expect(volume.perp_volume_last_7_days / week).toBeWithin(0.93, 1.07)
  })

  test('hold in the vaults of all chains what traders hold together', () => {
    const balances = (query = {}) => get<Balances>('/v1/public/vault_balance', query).rows
    const stats = get<{ total_holding: number }>('/v1/public/balance/stats')
    const total = balances().reduce((sum, { balance }) => sum + balance, 0)
    expect(total / stats.total_holding).toBeCloseTo(1, 6)
    expect(balances({ chain_id: '56' })).toEqual([])
    expect(balances({ chain_id: '10', token: 'USDC' }).length).toBe(1)
    expect(balances({ token: 'NOPE' })).toEqual([])
  })

  test('print the insurance fund in exponents: the account that takes over what nobody else does', () => {
    const balance = get<Fund>('/v1/public/insurancefund').balance
    expect(balance).toMatch(/^\d(\.\d+)?E6$/)
    const { fund } = exchange.simulation().engine.world
    expect(Number(balance)).toBeCloseTo(fund.holding / 1e6, 6)
  })

  test('say that the markets are made up, and name no venue', () => {
    const text = JSON.stringify([get('/v1/public/announcement'), get('/v2/public/announcement')])
    expect(text).toContain('made up')
    expect(text.toLowerCase()).not.toContain('orderly')
  })
})
