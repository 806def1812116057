import { expect, test } from 'bun:test'
import { openVirtual } from '../../embedded-fixture.ts'

const { venue } = openVirtual(1, undefined, undefined, null)

async function answered(path: string, body?: object) {
  const response = await venue.answer({
    method: body ? 'POST' : 'GET',
    path,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!('body' in response)) throw new Error(path)
  return JSON.parse(String(response.body)).data
}

// Slow: the stakes of two hundred traders are read one by one.
test('every investor of a vault is a public address, and their stakes add up to it', async () => {
  const top = { type: 'topAddresses', sort_by: 'notional', limit: 200 }
  const { rows: traders } = await answered('/v1/public/query', top)
  const base = '/v1/public/strategy_vault'
  const stakes = []
  for (const { address } of traders)
    stakes.push(...(await answered(`${base}/lp/info?wallet_address=${address}`)).rows)
  for (const vault of (await answered(`${base}/vault/info`)).rows) {
    const own = stakes.filter((stake) => stake.vault_id === vault.vault_id)
    expect(own).toHaveLength(vault.lp_counts)
    const shares = own.reduce((sum, stake) => sum + stake.total_main_shares, 0)
    expect(shares).toBeCloseTo(vault.total_main_shares, 5)
    const query = `vault_id=${vault.vault_id}&wallet_address=${vault.sp_address}`
    const provider = await answered(`${base}/sp/info?${query}`)
    expect(provider.sp_nav).toBeGreaterThan(0)
    const stranger = `vault_id=${vault.vault_id}&wallet_address=0x${'9'.repeat(40)}`
    expect((await answered(`${base}/lp/info?${stranger}`)).rows).toEqual([])
  }
})
