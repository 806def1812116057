import { formatDecimal } from '../../core/decimals.ts'
import type { Clock } from '../../core/ports.ts'
import { microUsdcText } from '../base/decimals.ts'
import type { Registration, VenueState } from '../exchange/state.ts'
import { tokenDecimals } from '../exchange/tokens.ts'
import { credit, tradingContext } from '../exchange/trading-context.ts'
import { USDC } from '../ledger/balances.ts'
import { COLLATERALS } from '../listing/chains.ts'

/** One practice account as its operator sees it. USDC as decimal text, times in milliseconds. */
export type PracticeAccount = {
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

/** The operator's view of practice accounts, which the wire does not have. */
export type PracticeAccounts = {
  /** Which tokens can be held. */
  readonly tokens: readonly string[]
  /** The newest accounts first. */
  readonly list: (rowsMax: number) => readonly PracticeAccount[]
  /** Null when there is no such account. */
  readonly show: (accountId: string) => PracticeAccount | null
  /**
   * Credits a deposit of a token, by default USDC: six decimals of USDC, eight of any other; now, or at a time of the
   * venue's clock. Null when there is no such account.
   */
  readonly fund: (
    accountId: string,
    amount: bigint,
    token?: string,
    atMs?: number,
  ) => PracticeAccount | null
}

type PracticeVenue = {
  readonly exchange: VenueState
  /** The venue's time, real or virtual. */
  readonly clock: Clock
}

/** The practice accounts of an exchange. A change is stored before it is returned. */
export function openPracticeAccounts({ exchange, clock }: PracticeVenue): PracticeAccounts {
  const found = (accountId: string) => exchange.accounts.get(accountId.toLowerCase())

  function fund(
    accountId: string,
    amount: bigint,
    token: string = USDC,
    nowMs: number = clock.nowMs(),
  ): PracticeAccount | null {
    exchange.advance(nowMs)
    const account = found(accountId)
    if (!account) return null
    const { accountId: own } = account.profile
    credit(exchange, { accountId: own, token, amount: Number(amount), chainId: CHAIN_ID }, nowMs)
    exchange.commit()
    return toPracticeAccount(exchange, account)
  }

  return {
    tokens: COLLATERALS.map(({ token }) => token),
    list: (rowsMax) =>
      [...exchange.accounts.values()]
        .sort((a, b) => b.profile.userId - a.profile.userId)
        .slice(0, rowsMax)
        .map((account) => toPracticeAccount(exchange, account)),
    show: (accountId) => {
      const account = found(accountId)
      return account ? toPracticeAccount(exchange, account) : null
    },
    fund,
  }
}

/** The chain that credits are recorded on. */
const CHAIN_ID = '42161'

function toPracticeAccount(exchange: VenueState, owner: Registration): PracticeAccount {
  const { accountId, address, brokerId, createdAtMs } = owner.profile
  const { account } = tradingContext(exchange, accountId)
  const { marketAccounts, open, holding, tokens, deposits } = account
  return {
    accountId,
    address,
    brokerId,
    createdAt: createdAtMs,
    holdingUsdc: microUsdcText(BigInt(holding)),
    tokens: Object.fromEntries(
      Array.from(tokens, ([token, amount]) => [
        token,
        formatDecimal(BigInt(amount), tokenDecimals(token)),
      ]),
    ),
    depositedUsdc: microUsdcText(BigInt(deposits)),
    openPositions: [...marketAccounts.values()].filter(({ quantity }) => quantity !== 0).length,
    restingOrders: open.size,
    keys: owner.keys.size,
  }
}
