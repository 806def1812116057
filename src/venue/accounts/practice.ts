import type { Clock, Random } from '../../core/ports.ts'
import { seatOf } from '../exchange/seat.ts'
import type { Account, Exchange } from '../exchange/state.ts'
import { usdcText } from '../market/decimal-text.ts'
import { credit } from './accounts.ts'

/** One account as an operator sees it. USDC as decimal text, times in milliseconds. */
export type AccountGlance = {
  readonly accountId: string
  readonly address: string
  readonly brokerId: string
  readonly createdAt: number
  readonly holdingUsdc: string
  readonly depositedUsdc: string
  readonly openPositions: number
  readonly restingOrders: number
  readonly keys: number
}

/** The operator's side of practice accounts, which no wire of the venue has. */
export type PracticeDesk = {
  /** The newest accounts first. */
  readonly list: (rowsMax: number) => readonly AccountGlance[]
  /** Null when there is no such account. */
  readonly show: (accountId: string) => AccountGlance | null
  /** Credits micro-USDC as a deposit, now or at a time of the venue's. Null when there is no such account. */
  readonly fund: (accountId: string, micros: bigint, atMs?: number) => AccountGlance | null
}

type Parts = {
  readonly exchange: Exchange
  readonly random: Random
  /** The venue's time, real or virtual. */
  readonly clock: Clock
}

/** Opens the desk. What it changes is stored before it answers. */
export function openPracticeDesk({ exchange, random, clock }: Parts): PracticeDesk {
  const found = (accountId: string) => exchange.accounts.get(accountId.toLowerCase())

  function fund(
    accountId: string,
    micros: bigint,
    nowMs: number = clock.nowMs(),
  ): AccountGlance | null {
    exchange.advance(nowMs)
    const account = found(accountId)
    if (!account) return null
    credit(exchange, account, CHAIN_ID, { nowMs, wallMs: nowMs }, { random, faucet: micros })
    exchange.commit()
    return glanceOf(exchange, account)
  }

  return {
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

function glanceOf(exchange: Exchange, { profile, keys, transfers }: Account): AccountGlance {
  const { accountId, address, brokerId, createdAtMs } = profile
  const { account } = seatOf(exchange, accountId)
  const deposits = transfers.filter(({ side }) => side === 'DEPOSIT')
  return {
    accountId,
    address,
    brokerId,
    createdAt: createdAtMs,
    holdingUsdc: usdcText(BigInt(account.holding)),
    depositedUsdc: usdcText(deposits.reduce((sum, { amount }) => sum + amount, 0n)),
    openPositions: [...account.exposures.values()].filter(({ quantity }) => quantity !== 0).length,
    restingOrders: account.open.size,
    keys: keys.size,
  }
}
