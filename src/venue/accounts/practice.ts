import { formatDecimal } from '../../core/decimals.ts'
import type { Clock } from '../../core/ports.ts'
import { USDC } from '../engine/money/balances.ts'
import { credit, seatOf } from '../exchange/seat.ts'
import type { Account, Exchange } from '../exchange/state.ts'
import { decimalsOf } from '../exchange/tokens.ts'
import { COLLATERALS } from '../market/chains.ts'
import { usdcText } from '../market/decimal-text.ts'

/** One account as an operator sees it. USDC as decimal text, times in milliseconds. */
export type AccountGlance = {
  readonly accountId: string
  readonly address: string
  readonly brokerId: string
  readonly createdAt: number
  readonly holdingUsdc: string
  /** Other tokens by name, decimal text. */
  readonly tokens: Readonly<Record<string, string>>
  readonly depositedUsdc: string
  readonly openPositions: number
  readonly restingOrders: number
  readonly keys: number
}

/** The operator's side of practice accounts, which no wire of the venue has. */
export type PracticeDesk = {
  /** Which tokens can be held. */
  readonly tokens: readonly string[]
  /** The newest accounts first. */
  readonly list: (rowsMax: number) => readonly AccountGlance[]
  /** Null when there is no such account. */
  readonly show: (accountId: string) => AccountGlance | null
  /**
   * Credits a deposit of a token, USDC when none is said: six decimals of it, eight of any other; now, or at a time of
   * the venue's. Null when there is no such account.
   */
  readonly fund: (
    accountId: string,
    amount: bigint,
    token?: string,
    atMs?: number,
  ) => AccountGlance | null
}

type Parts = {
  readonly exchange: Exchange
  /** The venue's time, real or virtual. */
  readonly clock: Clock
}

/** Opens the desk. What it changes is stored before it answers. */
export function openPracticeDesk({ exchange, clock }: Parts): PracticeDesk {
  const found = (accountId: string) => exchange.accounts.get(accountId.toLowerCase())

  function fund(
    accountId: string,
    amount: bigint,
    token: string = USDC,
    nowMs: number = clock.nowMs(),
  ): AccountGlance | null {
    exchange.advance(nowMs)
    const account = found(accountId)
    if (!account) return null
    const { accountId: own } = account.profile
    credit(exchange, { accountId: own, token, amount: Number(amount), chainId: CHAIN_ID }, nowMs)
    exchange.commit()
    return glanceOf(exchange, account)
  }

  return {
    tokens: COLLATERALS.map(({ token }) => token),
    list: (rowsMax) =>
      [...exchange.accounts.values()]
        .sort((a, b) => b.profile.userId - a.profile.userId)
        .slice(0, rowsMax)
        .map((account) => glanceOf(exchange, account)),
    show: (accountId) => {
      const account = found(accountId)
      return account ? glanceOf(exchange, account) : null
    },
    fund,
  }
}

/** Where the deposits of the desk are said to come from. */
const CHAIN_ID = '42161'

function glanceOf(exchange: Exchange, owner: Account): AccountGlance {
  const { accountId, address, brokerId, createdAtMs } = owner.profile
  const { account } = seatOf(exchange, accountId)
  const { exposures, open, holding, tokens, deposits } = account
  return {
    accountId,
    address,
    brokerId,
    createdAt: createdAtMs,
    holdingUsdc: usdcText(BigInt(holding)),
    tokens: Object.fromEntries(
      Array.from(tokens, ([token, amount]) => [
        token,
        formatDecimal(BigInt(amount), decimalsOf(token)),
      ]),
    ),
    depositedUsdc: usdcText(BigInt(deposits)),
    openPositions: [...exposures.values()].filter(({ quantity }) => quantity !== 0).length,
    restingOrders: open.size,
    keys: owner.keys.size,
  }
}
