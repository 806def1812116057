import { addBalance, addExternalDeposit, USDC } from '../ledger/balances.ts'
import {
  requestSettlement,
  startWithdrawal,
  type TransferPart,
  transfer,
  type WithdrawalTerms,
} from '../ledger/moves.ts'
import { accountAt } from '../state/accounts.ts'
import { nextEngineId } from '../state/exchange.ts'
import { REJECTIONS, Rejection } from '../state/rejections.ts'
import type { Account, ConsentKind, RebateShare } from '../state/state.ts'
import type { EngineWorld } from '../state/world.ts'

type OfAccount = { readonly account: number }
/** The chain of a deposit. A deposit without a chain is not published. */
type From = { readonly chainId?: string }
type Tokens = OfAccount & From & { readonly token: string; readonly amount: number }
type Consented = OfAccount & { readonly nonce: number }

/** Requests that move money. USDC amounts are micro-USDC; amounts of other tokens have eight decimals. */
export const MONEY_REQUESTS = {
  /** Deposits micro-USDC; a negative amount is withdrawn. The caller has checked that the account may withdraw it. */
  deposit: (
    world: EngineWorld,
    fields: OfAccount & From & { readonly amount: number },
    atMs: number,
  ): null => arrive(world, { ...fields, token: USDC }, atMs),

  /** Deposits a token that counts as collateral; a negative amount is withdrawn. Eight decimals. */
  tokens: (world: EngineWorld, fields: Tokens, atMs: number): null => arrive(world, fields, atMs),

  withdraw: (
    world: EngineWorld,
    { account, nonce, ...leaving }: Consented & WithdrawalTerms,
    atMs: number,
  ) =>
    performConsented(world, { account, nonce, kind: 'withdraw' }, (owner) =>
      startWithdrawal(world, owner, leaving, atMs),
    ),

  /** Transfers money. Without a nonce, the transfer was signed by a trading key and not by the wallet. */
  transfer: (
    world: EngineWorld,
    {
      account,
      nonce = null,
      ...request
    }: OfAccount & {
      readonly nonce?: number | null
      readonly token: string
      readonly parts: readonly TransferPart[]
    },
    atMs: number,
  ): number | Rejection =>
    nonce === null
      ? transfer(world, accountAt(world.exchange, account), request, atMs)
      : performConsented(world, { account, nonce, kind: 'transfer' }, (owner) =>
          transfer(world, owner, request, atMs),
        ),

  settle: (world: EngineWorld, { account, nonce }: Consented, atMs: number) =>
    performConsented(world, { account, nonce, kind: 'settle' }, (owner) =>
      requestSettlement(world, owner, atMs),
    ),

  /** Sets which accounts receive parts of an account's future fees. */
  shares: (
    { exchange }: EngineWorld,
    { account, shares }: OfAccount & { readonly shares: readonly RebateShare[] },
  ): null => {
    accountAt(exchange, account).shares = shares
    return null
  },
} as const

function arrive(
  world: EngineWorld,
  { account, token, amount, chainId }: Tokens,
  atMs: number,
): null {
  const { exchange } = world
  const owner = accountAt(exchange, account)
  addExternalDeposit(exchange, token, amount)
  addBalance(world, owner, token, amount)
  if (chainId === undefined) return null
  const deposit = { id: nextEngineId(exchange), account: owner, token, amount, chainId, atMs }
  for (const { deposited } of exchange.observers) deposited?.(deposit)
  return null
}

/** Performs a request that a wallet signed. If the request succeeds, the signed nonce is spent. */
function performConsented<Outcome>(
  { exchange }: EngineWorld,
  { account, nonce, kind }: Consented & { readonly kind: ConsentKind },
  act: (owner: Account) => Outcome | Rejection,
): Outcome | Rejection {
  const owner = accountAt(exchange, account)
  const last = owner.nonces[kind]
  if (nonce <= last) return REJECTIONS.nonceSpent
  if (nonce !== last + 1) return REJECTIONS.nonce
  const outcome = act(owner)
  if (!(outcome instanceof Rejection)) owner.nonces = { ...owner.nonces, [kind]: nonce }
  return outcome
}

type MarkReadRequest = {
  readonly account: number
  /** Ids of the notifications; null for all. */
  readonly ids: readonly number[] | null
  readonly isRead: boolean
}

/** Requests about notifications. */
export const INBOX_REQUESTS = {
  /** Publishes an announcement to all current accounts. */
  announce: (
    { exchange }: EngineWorld,
    { id, text }: { readonly id: number; readonly text: string },
    atMs: number,
  ): null => {
    for (const { announced } of exchange.observers)
      announced?.(exchange.accounts, { id, text, atMs })
    return null
  },

  mark: ({ exchange }: EngineWorld, { account, ids, isRead }: MarkReadRequest): null => {
    const owner = accountAt(exchange, account)
    for (const { marked } of exchange.observers) marked?.(owner, ids, isRead)
    return null
  },
} as const
