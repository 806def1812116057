import { formatDecimal } from '../../core/decimals.ts'
import type { Clock } from '../../core/ports.ts'
import { microUsdcText } from '../base/decimals.ts'
import type { Registration, VenueState } from '../exchange/state.ts'
import { tokenDecimals } from '../exchange/tokens.ts'
import { depositToAccount, tradingContext } from '../exchange/trading-context.ts'
import { USDC } from '../ledger/balances.ts'
import { COLLATERALS } from '../listing/chains.ts'

/** A practice account as its operator sees it. USDC amounts are decimal texts, times are milliseconds. */
export type PracticeAccount = {
  readonly accountId: string
  readonly address: string
  readonly brokerId: string
  readonly createdAt: number
  readonly holdingUsdc: string
  /** Balances of other tokens by name, as decimal texts. */
  readonly tokens: Readonly<Record<string, string>>
  readonly depositedUsdc: string
  readonly openPositions: number
  readonly restingOrders: number
  readonly keys: number
}

/** The operator's access to practice accounts. The venue's API has no such calls. */
export type PracticeAccounts = {
  /** The tokens that accounts can hold. */
  readonly tokens: readonly string[]
  /** The newest accounts, at most `rowsMax`, newest first. */
  readonly list: (rowsMax: number) => readonly PracticeAccount[]
  /** An account; null for an unknown id. */
  readonly show: (accountId: string) => PracticeAccount | null
  /**
   * Credits a deposit of a token, by default USDC. The amount has six decimals for USDC and eight for any other token.
   * The deposit happens at the given time of the venue's clock, by default now. Null for an unknown account.
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
    depositToAccount(
      exchange,
      { accountId: own, token, amount: Number(amount), chainId: CHAIN_ID },
      nowMs,
    )
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

/** The chain id that credits are recorded with. */
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
