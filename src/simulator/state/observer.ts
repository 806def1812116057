import type {
  Account,
  AlgoOrder,
  EngineMarket,
  EngineOrder,
  MarketAccount,
  PositionLife,
  SideSign,
} from './state.ts'

/** One match of two orders. Quantities and prices are the market's. */
export type Match = {
  readonly id: number
  readonly market: EngineMarket
  readonly atMs: number
  readonly taker: EngineOrder
  readonly maker: EngineOrder
  readonly price: number
  readonly quantity: number
  /** The resting quantity was not shown, so its owner paid as a taker. */
  readonly isHidden: boolean
  readonly takerFee: number
  readonly makerFee: number
  readonly takerPnl: number
  readonly makerPnl: number
}

/** An order whose trigger the mark has met. */
type Trigger = {
  readonly account: Account
  readonly market: EngineMarket
  readonly id: number
  /** Such as STOP_LOSS. */
  readonly type: string
  readonly side: SideSign
  /** Ticks. */
  readonly price: number
  readonly atMs: number
}

/** An announcement of the venue's operator. */
type Announcement = { readonly id: number; readonly text: string; readonly atMs: number }

/** Receives the events of the engine in order, while they happen. It must leave the world unchanged. */
export type Observer = {
  readonly matched?: (match: Match) => void
  /** An order was accepted, changed or ended. */
  readonly ordered?: (order: EngineOrder) => void
  readonly triggered?: (trigger: Trigger) => void
  /** An algo order was accepted, changed or ended: its root. */
  readonly algo?: (root: AlgoOrder) => void
  readonly closed?: (
    marketAccount: MarketAccount,
    life: PositionLife,
    side: SideSign,
    atMs: number,
  ) => void
  readonly liquidated?: (liquidation: Liquidation) => void
  /** A liquidator took a position over from the insurance fund. */
  readonly claimed?: (claim: Claim) => void
  readonly funded?: (settlement: FundingSettlement) => void
  readonly deposited?: (deposit: Deposit) => void
  /** Money has reached another stage. */
  readonly moved?: (move: Move, status: string, atMs: number) => void
  readonly settled?: (settled: Settled) => void
  /** An announcement to these accounts. */
  readonly announced?: (accounts: readonly Account[], announcement: Announcement) => void
  /** An account has read some of its notifications, or all of them (null), or wants them as new again. */
  readonly marked?: (account: Account, ids: readonly number[] | null, isRead: boolean) => void
  /** A minute of the world has begun. */
  readonly minute?: (accounts: readonly Account[], atMs: number) => void
}

/** One holder's part of a settlement; positive is paid. */
export type FundingCharge = { readonly marketAccount: MarketAccount; readonly fee: number }

/** One settlement of a market: rate with eight decimals, mark in ticks. */
export type FundingSettlement = {
  readonly market: EngineMarket
  readonly atMs: number
  readonly rate: number
  readonly mark: number
  readonly charges: readonly FundingCharge[]
}

/** One part of a position changing hands. `quantity` has the sign of the position it came from. */
export type Takeover = {
  readonly market: EngineMarket
  readonly to: Account
  /** Whether it went to an isolated position of that account, which a deleveraged position may be. */
  readonly isolated: boolean
  readonly by: 'liquidator' | 'fund' | 'adl'
  readonly quantity: number
  /** The signed quantity of the position before the takeover. */
  readonly held: number
  /** Ticks. */
  readonly price: number
  readonly liquidatorFee: number
  readonly fundFee: number
}

/** One liquidation, from its start to the last part taken over. Micro-USDC and rates of its time. */
export type Liquidation = {
  readonly id: number
  readonly atMs: number
  readonly account: Account
  readonly isolated: boolean
  readonly collateral: number
  readonly notional: number
  readonly maintenance: number
  /** The balance that went to the insurance fund instead of fees; below zero, the fund's payment. */
  transferred: number
  readonly takeovers: Takeover[]
}

/** A position of the insurance fund that a liquidator took, at the mark less a discount in micro-USDC. */
type Claim = {
  readonly id: number
  readonly atMs: number
  readonly market: EngineMarket
  readonly to: Account
  readonly quantity: number
  /** Ticks. */
  readonly price: number
  readonly discount: number
}

/** A deposit into an account from a chain. */
type Deposit = {
  readonly id: number
  readonly account: Account
  readonly token: string
  readonly amount: number
  readonly chainId: string
  readonly atMs: number
}

/** The part of an account's results in one market that became balance. */
export type SettledPart = { readonly market: EngineMarket; readonly amount: number }

/** One settlement of one account. Micro-USDC. */
export type Settled = {
  readonly id: number
  readonly account: Account
  /** The time of the request, by its owner or by an account on the other side. */
  readonly requestedAtMs: number
  readonly atMs: number
  readonly before: number
  readonly after: number
  readonly parts: readonly SettledPart[]
}

/** Amounts are micro-USDC, those of other tokens have eight decimals. Accounts go by their number: plain data. */

type OnItsWay = {
  readonly id: number
  /** The sending account. */
  readonly account: number
  readonly atMs: number
  /** The number of completed stages. */
  stage: number
}

type Carrying = OnItsWay & { readonly token: string; readonly amount: number }

/** Money that leaves the venue, for a wallet on a chain. */
export type Withdrawal = Carrying & {
  readonly kind: 'withdrawal'
  /** The part of the amount that the receiver does not get. */
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

/** Requested settlement of results. The amount stays in the account. */
export type Settling = OnItsWay & { readonly kind: 'settling' }

/** Money under way: it has left one account and has not arrived. A settlement moves no money. */
export type Move = Withdrawal | Transfer | Settling

/** The amount of a token in an account's withdrawals and transfers under way. */
export function frozenAmount(
  moves: ReadonlyMap<number, Move>,
  account: number,
  token: string,
): number {
  let frozen = 0
  for (const move of moves.values())
    if (move.kind !== 'settling' && move.account === account && move.token === token)
      frozen += move.amount
  return frozen
}
