import { marginAccount } from '../account/margin-account.ts'
import { imrFactor, isIsolated, nextLeverage } from '../account/state.ts'
import { sessionSymbols } from '../market/groups.ts'
import { rules } from '../market/state.ts'
import { accountIn, type TicketAccount } from './ticket-account.ts'

/** The signed-in account for a market and margin mode, without the order `without` (the edited one); null while unknown. */
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
  return accountIn({ ...account, orders }, market, { ...settings, mode }, sessionSymbols.value)
}
