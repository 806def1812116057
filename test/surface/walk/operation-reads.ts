import type { MoneyFixture, Opened } from '../money-fixture.ts'
import { OPERATION_ROWS, type OperationRow, sampleOf } from '../recorded-venue.ts'

const DAYS = { start_date: '2026-03-01', end_date: '2026-03-02' } as const
const SYMBOL = 'PERP_BTC_USDC'
/** On a Sunday, an hour before funding: a day of the vaults and a week of the programs end nine hours later. */
export const SCENARIO_START = '2026-03-01T15:00:00Z'

type Whose = { readonly user: Opened; readonly vault: Readonly<Record<string, unknown>> }

/** Every catalogued read by id, none of it kept from before: of a vault, and of the user where it is a wallet's. */
export async function walkOperations(
  fixture: MoneyFixture,
  whose: Whose,
): Promise<Map<string, unknown>> {
  await fixture.purge()
  const found = new Map<string, unknown>()
  for (const row of OPERATION_ROWS)
    found.set(row.id, await fixture.get(`/api/prep/op/${row.id}`, queryOf(row, whose)))
  return found
}

function queryOf(
  { id, required, optional }: OperationRow,
  { user, vault }: Whose,
): Record<string, string> {
  const { address } = user.wallet
  const isProvider = /^vault\.(?:strategyProvider|provider)/.test(id)
  const values: Readonly<Record<string, string>> = {
    ...{ symbol: SYMBOL, address, account_id: user.accountId, key: user.key },
    ...{ ...DAYS, time_interval: '1h', group: 'perp' },
    resolution: id === 'charts.klineHistory' ? '1h' : '60',
    ...{ from: seconds(-1), to: seconds(26), referral_code: 'STORY1' },
    ...{ stage: '2', period: 'this_week', campaign_id: '1', is_vesting: 'true' },
    ...{ vault_id: String(vault['vault_id']), chain_id: '42161', time_range: '7d' },
    wallet_address: isProvider ? String(vault['sp_address']) : address,
    type: id.startsWith('vault.') ? 'PNL' : 'volume',
    ...{ lower_boundary: '100', enum_id: 'GRID_PRO' },
  }
  const names = [...required, ...optional.filter((name) => name === 'account_id')]
  return Object.fromEntries(names.map((name) => [name, values[name] ?? sampleOf(name)]))
}

/** So many hours after the scenario's beginning. */
function seconds(hours: number): string {
  return String(Date.parse(SCENARIO_START) / 1000 + hours * 3600)
}
