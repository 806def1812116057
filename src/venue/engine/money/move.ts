/** Amounts are micro-USDC, those of other tokens have eight decimals. Accounts go by their number: plain data. */

type OnItsWay = {
  readonly id: number
  /** Where it left. */
  readonly account: number
  readonly atMs: number
  /** How many of its stages are over. */
  stage: number
}

type Carrying = OnItsWay & { readonly token: string; readonly amount: number }

/** Money that leaves the venue, for a wallet on a chain. */
export type Withdrawal = Carrying & {
  readonly kind: 'withdrawal'
  /** What of the amount the receiver does not get. */
  readonly fee: number
  readonly chainId: string
  readonly receiver: string
  /** The chain's vault has to be filled from others first. */
  readonly isCrossChain: boolean
}

/** Money for another account. */
export type Transfer = Carrying & {
  readonly kind: 'transfer'
  /** The number of the request, which may have had several receivers. */
  readonly request: number
  readonly to: number
}

/** Results that were asked to become balance: nothing has left its account. */
export type Settling = OnItsWay & { readonly kind: 'settling' }

/** Money on its way: what it carries has left one account and has not arrived. */
export type Move = Withdrawal | Transfer | Settling

/** What an account holds of a token or has on its way out. */
export function frozenOf(moves: ReadonlyMap<number, Move>, account: number, token: string): number {
  let frozen = 0
  for (const move of moves.values())
    if (move.kind !== 'settling' && move.account === account && move.token === token)
      frozen += move.amount
  return frozen
}
