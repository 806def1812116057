// Slow: the embedded venue lives for two hours.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { HOUR_MS } from '../../src/contract/durations.ts'
import { toWalletAddress } from '../../src/core/crypto/wallet-signature.ts'
import { isObject } from '../../src/core/json.ts'
import type { VenueRequest } from '../../src/simulator/messages/message.ts'
import { publicGet, registration, secretOf, vaultRequest } from '../simulator/trading-wallet.ts'
import { openTarget, type Target, USUAL_KINDS } from '../target.ts'
import { OPERATION_ROWS } from './recorded-venue.ts'

const OPERATIONS = OPERATION_ROWS.filter(({ id }) => id.startsWith('vault.'))
const STRANGER = `0x${'9'.repeat(40)}`

describe.each([...USUAL_KINDS])('vaults of the embedded venue, %s', (kind) => {
  let target: Target
  let vaults: Record<string, string>[]

  beforeAll(async () => {
    target = await openTarget(kind, { VENUE: 'embedded', VENUE_CLOCK: 'virtual' })
    vaults = Object((await ask('vault.info', {})).body).rows
  })
  afterAll(() => target.stop())

  async function ask(id: string, query: Record<string, string>) {
    const response = await target.fetch(`/api/prep/op/${id}?${new URLSearchParams(query)}`)
    const body: unknown = await response.json()
    return { status: response.status, body: isObject(body) ? body : {} }
  }

  function queryOf(at = 0, wallet = vaults[at]?.['sp_address'] ?? ''): Record<string, string> {
    return {
      vault_id: vaults[at]?.['vault_id'] ?? '',
      wallet_address: wallet,
      chain_id: '42161',
      type: 'PNL',
      time_range: '7d',
    }
  }

  function askedOf({ required }: (typeof OPERATIONS)[number], query = queryOf()) {
    return Object.fromEntries(required.map((name) => [name, query[name] ?? '']))
  }

  test('there are two, one of each kind, with what they are worth', () => {
    expect(OPERATIONS).toHaveLength(24)
    expect(vaults.map(({ vault_type: type }) => type)).toEqual(['protocol', 'community'])
    for (const vault of vaults) {
      expect(vault).toMatchObject({ status: 'live', asset: 'USDC' })
      expect(Number(vault['tvl'])).toBeGreaterThan(100_000)
      expect(vault).not.toHaveProperty('broker_id')
    }
  })

  test.each(OPERATIONS)('$id answers, and names no venue', async (row) => {
    const { status, body } = await ask(row.id, askedOf(row))
    expect(status).toBe(200)
    expect(Object.keys(body).length).toBeGreaterThan(0)
    expect(JSON.stringify(body).toLowerCase()).not.toContain('orderly')
  })

  test('their orders and positions are those of a moment, in both answers alike', async () => {
    const { body } = await ask('vault.openOrders', { ...queryOf(), size: '500' })
    const [order] = Object(body).rows
    expect(order).toMatchObject({ exchange: '', is_triggered: 'false', child_orders: [] })
    const info = Object((await ask('vault.fundInfo', queryOf())).body)
    const [performance] = Object((await ask('vault.performance', queryOf())).body).rows
    expect(performance.time_range).toBe('24h')
    expect(info.fund_nav).toBeLessThanOrEqual(Number(vaults[0]?.['tvl']))
  })

  test('an unknown vault and a wallet that is none are refused, a stranger has nothing', async () => {
    for (const row of OPERATIONS) {
      if (!row.required.includes('vault_id')) continue
      const unknown = askedOf(row, { ...queryOf(), vault_id: `0x${'1'.repeat(64)}` })
      const { status } = await ask(row.id, unknown)
      expect([400, 404]).toContain(status)
    }
    const none = await ask('vault.lpInfo', { wallet_address: 'me' })
    expect(none.status).toBe(400)
    const { body } = await ask('vault.lpInfo', { wallet_address: STRANGER })
    expect(body).toEqual({ rows: [] })
  })
})

describe('a deposit over the venue’s own wire, compiled binary', () => {
  let target: Target
  let wire: string

  beforeAll(async () => {
    const listens = { OPS_LISTEN: '127.0.0.1:0', VENUE_LISTEN: '127.0.0.1:0' }
    // The period of the vaults ends with the day.
    const VENUE_START = '2026-01-01T23:00:00Z'
    const settings = { VENUE: 'embedded', VENUE_CLOCK: 'virtual', VENUE_START, ...listens }
    target = await openTarget('compiled binary', settings)
    wire = (await target.listening()).venue
  })
  afterAll(() => target.stop())

  async function send({ method, path, headers, body }: VenueRequest) {
    const response = await fetch(wire + path, { method, headers, ...(body && { body }) })
    return { status: response.status, body: Object(await response.json()) }
  }

  /** Time passes, and the world has come to it: a whole day at once may take longer than a read may. */
  async function passes(ms: number) {
    const { status } = await target.ops(`/venue/advance?ms=${ms}`, { method: 'POST' })
    expect(status).toBe(200)
    expect((await ask('vault.info', {})).rows).not.toBeEmpty()
  }

  async function ask(id: string, query: Record<string, string>) {
    const response = await target.fetch(`/api/prep/op/${id}?${new URLSearchParams(query)}`)
    return Object(await response.json())
  }

  test('is pending, becomes shares when the period ends, and is in the vault’s histories', async () => {
    const wallet = secretOf('a liquidity provider')
    const { registration_nonce } = (await send(publicGet('/v1/registration_nonce'))).body.data
    const registered = await send(registration(wallet, registration_nonce, Date.now()))
    expect(registered.status).toBe(200)
    const [vault] = (await ask('vault.info', {})).rows
    const { nonce } = (await send(publicGet('/v1/public/sv_nonce'))).body.data
    const vaultId: string = vault.vault_id
    const asking = { payloadType: 0, nonce: String(nonce), vaultId, amount: 250_000_000 }
    const otherChain = await send(vaultRequest(wallet, asking, { amount: '1' }))
    expect(otherChain).toMatchObject({ status: 400, body: { success: false, code: 9 } })
    const asked = await send(vaultRequest(wallet, asking))
    expect(asked).toMatchObject({ status: 200, body: { success: true } })
    const query = { vault_id: vaultId, wallet_address: toWalletAddress(wallet) }
    const [waiting] = (await ask('vault.lpTransactionHistory', { ...query, size: '1' })).rows
    expect(waiting).toMatchObject({ type: 'deposit', status: 'pending', amount_change: 250 })
    await passes(2 * HOUR_MS)
    const [done] = (await ask('vault.lpTransactionHistory', { ...query, size: '2' })).rows
    expect(done).toMatchObject({ status: 'locked', transaction_nonce: String(nonce) })
    const [stake] = (await ask('vault.lpInfo', query)).rows
    expect(stake.total_main_shares).toBe(done.shares_change)
    expect(stake.lp_nav).toBeGreaterThan(200)
    expect(stake.available_main_shares).toBe(0)
  })
})
