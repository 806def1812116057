import { addBalance, countIn, USDC } from '../ledger/balances.ts'
import { type Part, requestSettlement, transfer, withdraw } from '../ledger/moves.ts'
import { accountAt } from '../state/accounts.ts'
import { nextId } from '../state/exchange.ts'
import type { Withdrawal } from '../state/observer.ts'
import { REJECTIONS, Rejection } from '../state/rejections.ts'
import type { Account, ConsentKind, RebateShare } from '../state/state.ts'
import type { World } from '../state/world.ts'

type OfAccount = { readonly account: number }
/** The chain that the money came from; without one the deposit is not published. */
type From = { readonly chainId?: string }
type Tokens = OfAccount & From & { readonly token: string; readonly amount: number }
type Consented = OfAccount & { readonly nonce: number }
type Leaving = Consented &
  Pick<Withdrawal, 'token' | 'amount' | 'fee' | 'chainId' | 'receiver' | 'isCrossChain'>

/** What of money can be asked of a world from outside. Amounts as in money/move.ts. */
export const MONEY_REQUESTS = {
  /** Micro-USDC from outside; below zero, to outside. Whoever asks has checked that the account may. */
  deposit: (
    world: World,
    fields: OfAccount & From & { readonly amount: number },
    atMs: number,
  ): null => arrive(world, { ...fields, token: USDC }, atMs),

  /** Tokens that count as collateral, from outside or to it; eight decimals. */
  tokens: (world: World, fields: Tokens, atMs: number): null => arrive(world, fields, atMs),

  withdraw: (world: World, { account, nonce, ...leaving }: Leaving, atMs: number) =>
    consented(world, { account, nonce, kind: 'withdraw' }, (owner) =>
      withdraw(world, owner, leaving, atMs),
    ),

  /** Without a nonce it is the key that consents. */
  transfer: (
    world: World,
    {
      account,
      nonce = null,
      ...request
    }: OfAccount & {
      readonly nonce?: number | null
      readonly token: string
      readonly parts: readonly Part[]
    },
    atMs: number,
  ): number | Rejection =>
    nonce === null
      ? transfer(world, accountAt(world.exchange, account), request, atMs)
      : consented(world, { account, nonce, kind: 'transfer' }, (owner) =>
          transfer(world, owner, request, atMs),
        ),

  settle: (world: World, { account, nonce }: Consented, atMs: number) =>
    consented(world, { account, nonce, kind: 'settle' }, (owner) =>
      requestSettlement(world, owner, atMs),
    ),

  /** Who gets which part of the fees that an account pays from now on. */
  shares: (
    { exchange }: World,
    { account, shares }: OfAccount & { readonly shares: readonly RebateShare[] },
  ): null => {
    accountAt(exchange, account).shares = shares
    return null
  },
} as const

function arrive(world: World, { account, token, amount, chainId }: Tokens, atMs: number): null {
  const { exchange } = world
  const owner = accountAt(exchange, account)
  countIn(exchange, token, amount)
  addBalance(world, owner, token, amount)
  if (chainId === undefined) return null
  const deposit = { id: nextId(exchange), account: owner, token, amount, chainId, atMs }
  for (const { deposited } of exchange.observers) deposited?.(deposit)
  return null
}

/** Does what a wallet consented to, and spends the nonce when it was done. */
function consented<Outcome>(
  { exchange }: World,
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

type Marking = {
  readonly account: number
  /** Null: all of them. */
  readonly ids: readonly number[] | null
  readonly isRead: boolean
}

/** What can be asked about notifications. */
export const INBOX_REQUESTS = {
  /** Publishes an announcement to all accounts of now. */
  announce: (
    { exchange }: World,
    { id, text }: { readonly id: number; readonly text: string },
    atMs: number,
  ): null => {
    for (const { announced } of exchange.observers)
      announced?.(exchange.accounts, { id, text, atMs })
    return null
  },

  mark: ({ exchange }: World, { account, ids, isRead }: Marking): null => {
    const owner = accountAt(exchange, account)
    for (const { marked } of exchange.observers) marked?.(owner, ids, isRead)
    return null
  },
} as const
