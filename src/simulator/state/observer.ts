import type {
  Account,
  AlgoOrder,
  EngineMarket,
  EngineOrder,
  MarketAccount,
  PositionLife,
  SideSign,
} from './state.ts'

/** A match of two orders. Price and quantity are in the market's ticks and steps. */
export type Match = {
  readonly id: number
  readonly market: EngineMarket
  readonly atMs: number
  readonly taker: EngineOrder
  readonly maker: EngineOrder
  readonly price: number
  readonly quantity: number
  /** Whether the resting quantity was hidden. Its owner then pays the taker fee. */
  readonly isHidden: boolean
  readonly takerFee: number
  readonly makerFee: number
  readonly takerPnl: number
  readonly makerPnl: number
}

/** An algo order whose trigger the mark price has reached. */
type Trigger = {
  readonly account: Account
  readonly market: EngineMarket
  readonly id: number
  /** The kind of algo order, such as STOP_LOSS. */
  readonly type: string
  readonly side: SideSign
  /** The trigger price in ticks. */
  readonly price: number
  readonly atMs: number
}

/** An announcement by the venue's operator. */
type Announcement = { readonly id: number; readonly text: string; readonly atMs: number }

/** Receives the engine's events in order, while they happen. It must not change the world. */
export type Observer = {
  readonly matched?: (match: Match) => void
  /** An order was accepted, changed or ended. */
  readonly ordered?: (order: EngineOrder) => void
  readonly triggered?: (trigger: Trigger) => void
  /** An algo order was accepted, changed or ended. Receives its root. */
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
  /** A move of money has reached its next stage. */
  readonly moved?: (move: Move, status: string, atMs: number) => void
  readonly settled?: (settled: SettledResults) => void
  /** These accounts receive an announcement. */
  readonly announced?: (accounts: readonly Account[], announcement: Announcement) => void
  /** An account has marked notifications as read or as unread. `ids` is null for all notifications. */
  readonly marked?: (account: Account, ids: readonly number[] | null, isRead: boolean) => void
  /** A minute of the world has begun. */
  readonly minute?: (accounts: readonly Account[], atMs: number) => void
}

/** One holder's part of a funding settlement. A positive fee is paid, a negative fee received. */
export type FundingCharge = { readonly marketAccount: MarketAccount; readonly fee: number }

/** A funding settlement of a market: the rate with eight decimals, the mark price in ticks. */
export type FundingSettlement = {
  readonly market: EngineMarket
  readonly atMs: number
  readonly rate: number
  readonly mark: number
  readonly charges: readonly FundingCharge[]
}

/** A part of a position that another account took over. `quantity` has the sign of the original position. */
export type Takeover = {
  readonly market: EngineMarket
  readonly to: Account
  /**
   * Whether the part joined an isolated position of the receiver, which is possible if the receiver was deleveraged.
   */
  readonly isolated: boolean
  readonly by: 'liquidator' | 'fund' | 'adl'
  readonly quantity: number
  /** The signed quantity of the original position before the takeover. */
  readonly held: number
  /** Price in ticks. */
  readonly price: number
  readonly liquidatorFee: number
  readonly fundFee: number
}

/**
 * A liquidation from its start to the last takeover. Amounts (micro-USDC) and rates are those at the time of the
 * liquidation.
 */
export type Liquidation = {
  readonly id: number
  readonly atMs: number
  readonly account: Account
  readonly isolated: boolean
  readonly collateral: number
  readonly notional: number
  readonly maintenance: number
  /** Balance that went to the insurance fund in addition to fees; negative if the fund paid. */
  transferred: number
  readonly takeovers: Takeover[]
}

/** A position that a liquidator took from the insurance fund, at the mark price with a discount in micro-USDC. */
type Claim = {
  readonly id: number
  readonly atMs: number
  readonly market: EngineMarket
  readonly to: Account
  readonly quantity: number
  /** Price in ticks. */
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

/** The part of an account's result in one market that was turned into balance. */
export type SettledPart = { readonly market: EngineMarket; readonly amount: number }

/** One settlement of an account's results. Micro-USDC. */
export type SettledResults = {
  readonly id: number
  readonly account: Account
  /** When the settlement was requested, by its owner or by an account with an opposite result. */
  readonly requestedAtMs: number
  readonly atMs: number
  readonly before: number
  readonly after: number
  readonly parts: readonly SettledPart[]
}

/** Moves are plain data. Amounts are micro-USDC, or eight decimals of another token. Accounts are given by number. */

type MoneyInTransit = {
  readonly id: number
  /** The number of the sending account. */
  readonly account: number
  readonly atMs: number
  /** The number of stages that are completed. */
  stage: number
}

type Carrying = MoneyInTransit & { readonly token: string; readonly amount: number }

/** Money that leaves the venue for a wallet on a chain. */
export type Withdrawal = Carrying & {
  readonly kind: 'withdrawal'
  /** The fee: the part of the amount that the receiver does not get. */
  readonly fee: number
  readonly chainId: string
  readonly receiver: string
  /** Whether the chain's vault must first be filled from other vaults. */
  readonly isCrossChain: boolean
}

/** Money on its way to another account. */
export type Transfer = Carrying & {
  readonly kind: 'transfer'
  /** The request's number. A request may have several receivers. */
  readonly request: number
  readonly to: number
}

/** A requested settlement of results. No amount leaves the account. */
export type PendingSettlement = MoneyInTransit & { readonly kind: 'settling' }

/** Money that has left one account and not yet arrived. A settlement moves no money. */
export type Move = Withdrawal | Transfer | PendingSettlement

/** The amount of a token in an account's pending withdrawals and transfers. */
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
