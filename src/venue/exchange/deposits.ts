import { USDC } from '../engine/money/balances.ts'
import { seatOf } from './seat.ts'
import type { Exchange } from './state.ts'

export type Credit = {
  readonly accountId: string
  readonly token: string
  /** In the engine's units. */
  readonly amount: number
  readonly chainId: string
}

/** Pays into an account, with a row in its history. Throws -1607 when there is no such account. */
export function credit(
  exchange: Pick<Exchange, 'floor'>,
  { accountId, token, amount, chainId }: Credit,
  nowMs: number,
): void {
  const { engine, account } = seatOf(exchange, accountId)
  const fields = { account: account.number, amount, chainId }
  if (token === USDC) engine.submit('deposit', fields, nowMs)
  else engine.submit('tokens', { ...fields, token }, nowMs)
}
