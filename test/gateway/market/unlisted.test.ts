import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openWireWorld, type WireWorld } from '../../agents/wire-world.ts'

let wire: WireWorld

beforeAll(async () => {
  wire = await openWireWorld()
})
afterAll(() => wire.stop())

const UNKNOWN = ['not_found', 'unknown_market']
const FUNDING = 'GET /v1/public/funding_rate/PERP_NONE_USDC'
const AWAY = { status: 503, json: { success: false, code: -1000, message: 'busy' } }

async function failureOf(path: string) {
  const response = await wire.world.fetch(path)
  const { code, meta } = Object(await response.json())
  return [code, meta?.reason]
}

test('what the venue does not find is an unknown market, and a venue that is away says nothing of the market', async () => {
  expect(await failureOf('/api/prep/funding?symbol=PERP_NONE_USDC')).toEqual(UNKNOWN)
  wire.instead.set(FUNDING, AWAY)
  expect(await failureOf('/api/prep/funding?symbol=PERP_NONE_USDC')).toEqual([
    'upstream_unavailable',
    undefined,
  ])
})

test('nothing found is an unknown market only where a symbol is required', async () => {
  const found = (path: string) => failureOf(`/api/prep/op/${path}`)
  expect(await found('markets.trades?symbol=PERP_NONE_USDC')).toEqual(UNKNOWN)
  for (const path of [
    'vault.openOrders?vault_id=0x1&symbol=PERP_NONE_USDC',
    'vault.openOrders?vault_id=0x1',
  ])
    expect(await found(path)).toEqual(['not_found', undefined])
})
