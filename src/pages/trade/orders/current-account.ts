import { computed } from '@preact/signals'
import { rowsOf, textOf } from '../../common/exact-json.ts'
import { marginAccount } from '../account/margin-account.ts'
import { imrFactor, isIsolated, nextLeverage } from '../account/state.ts'
import { followed } from '../feed/service.ts'
import { SESSIONS } from '../market/groups.ts'
import { rules } from '../market/state.ts'
import { accountIn, type TicketAccount } from './ticket-account.ts'

const sessionsReading = followed(() => SESSIONS)

const rwaMarkets = computed(() => {
  const { data } = sessionsReading.value
  return data === null ? null : new Set(rowsOf(data, 'rows').map((row) => textOf(row, 'symbol')))
})

/** The signed-in account in a market and margin mode, without one of its orders; null while it is not known. */
export function currentAccount(
  symbol: string,
  isOwn = isIsolated(symbol),
  without: { readonly id: string } | null = null,
): TicketAccount | null {
  const { value: account } = marginAccount
  const market = rules.value.get(symbol)
  if (!account || !market) return null
  const orders = account.orders.filter(({ id }) => id !== without?.id)
  const settings = { leverage: nextLeverage.value, imrFactor: imrFactor(symbol) }
  const mode = isOwn ? 'ISOLATED' : 'CROSS'
  return accountIn({ ...account, orders }, market, { ...settings, mode }, rwaMarkets.value)
}
