import { refresh } from '../margin/margin.ts'
import { accountAt } from '../state/accounts.ts'
import { type ExchangeState, nextEngineId } from '../state/exchange.ts'
import type {
  Move,
  PendingSettlement,
  SettledPart,
  SettledResults,
  Transfer,
  Withdrawal,
} from '../state/observer.ts'
import { plan } from '../state/queue.ts'
import { REJECTIONS, type Rejection } from '../state/rejections.ts'
import type { Account, MarketAccount } from '../state/state.ts'
import type { EngineWorld } from '../state/world.ts'
import { addBalance, addExternalDeposit, canWithdraw } from './balances.ts'

/** Minimum time between two settlement requests of an account. */
const SETTLE_EVERY_MS = 600_000

/** The terms of a withdrawal. */
export type WithdrawalTerms = Pick<
  Withdrawal,
  'token' | 'amount' | 'fee' | 'chainId' | 'receiver' | 'isCrossChain'
>

/** One receiver of a transfer, given by its account number. */
export type TransferPart = { readonly to: number; readonly amount: number }

/** Starts a withdrawal: deducts the amount from the account. */
export function startWithdrawal(
  world: EngineWorld,
  account: Account,
  leaving: WithdrawalTerms,
  atMs: number,
): Withdrawal | Rejection {
  const refused = moveRejection(world, account, leaving.token, leaving.amount)
  if (refused) return refused
  const id = nextEngineId(world.exchange)
  const { number } = account
  const withdrawal = {
    kind: 'withdrawal',
    id,
    account: number,
    ...leaving,
    atMs,
    stage: 0,
  } as const
  return startMove(world, account, withdrawal, atMs)
}

/** Starts a transfer to several accounts, all or nothing. Returns the request's number. */
export function transfer(
  world: EngineWorld,
  account: Account,
  { token, parts }: { readonly token: string; readonly parts: readonly TransferPart[] },
  atMs: number,
): number | Rejection {
  const total = parts.reduce((sum, { amount }) => sum + amount, 0)
  const refused = moveRejection(world, account, token, total)
  if (refused) return refused
  const request = nextEngineId(world.exchange)
  for (const { to, amount } of parts) {
    const id = nextEngineId(world.exchange)
    const route = { account: account.number, to, token, amount }
    const part: Transfer = { kind: 'transfer', id, request, ...route, atMs, stage: 0 }
    startMove(world, account, part, atMs)
  }
  return request
}

/** Requests the settlement of an account's results. Returns the request's number. */
export function requestSettlement(
  world: EngineWorld,
  account: Account,
  atMs: number,
): number | Rejection {
  if (account.settledAtMs !== 0 && atMs < account.settledAtMs + SETTLE_EVERY_MS)
    return REJECTIONS.settledLately
  account.settledAtMs = atMs
  const id = nextEngineId(world.exchange)
  begin(world, { kind: 'settling', id, account: account.number, atMs, stage: 0 }, atMs)
  return id
}

/** Advances a move of money to its next stage. In the last stage the money arrives. */
export function advanceMove(world: EngineWorld, id: number, atMs: number): void {
  const move = world.exchange.moves.get(id)
  if (!move) return
  move.stage += 1
  if (move.stage === moveStages(move).length - 1) arrive(world, move, atMs)
  else planNext(world, move, atMs)
  publish(world, move, atMs)
}

/** Why a move of money is rejected; null if it is allowed. An account can have only one move at a time. */
function moveRejection(
  world: EngineWorld,
  account: Account,
  token: string,
  amount: number,
): Rejection | null {
  if (account.status === 'liquidating') return REJECTIONS.liquidating
  for (const { kind, account: number } of world.exchange.moves.values()) {
    if (number !== account.number || kind === 'settling') continue
    return kind === 'withdrawal' ? REJECTIONS.withdrawing : REJECTIONS.transferring
  }
  return canWithdraw(world, account, token, amount) ? null : REJECTIONS.outOfMargin
}

function startMove<M extends Withdrawal | Transfer>(
  world: EngineWorld,
  account: Account,
  move: M,
  atMs: number,
): M {
  addBalance(world, account, move.token, -move.amount)
  begin(world, move, atMs)
  return move
}

function begin(world: EngineWorld, move: Move, atMs: number): void {
  world.exchange.moves.set(move.id, move)
  planNext(world, move, atMs)
  publish(world, move, atMs)
}

function planNext({ queue }: EngineWorld, move: Move, atMs: number): void {
  plan(queue, atMs + currentStage(move).lastsMs, 'money', move.id)
}

function arrive(world: EngineWorld, move: Move, atMs: number): void {
  const { exchange } = world
  exchange.moves.delete(move.id)
  const account = accountAt(exchange, move.account)
  if (move.kind === 'withdrawal') addExternalDeposit(exchange, move.token, -move.amount)
  else if (move.kind === 'transfer')
    addBalance(world, accountAt(exchange, move.to), move.token, move.amount)
  else settlePnl(exchange, account, move, atMs)
}

function publish({ exchange }: EngineWorld, move: Move, atMs: number): void {
  const { status } = currentStage(move)
  for (const { moved } of exchange.observers) moved?.(move, status, atMs)
}

/** One stage of a move: its status on the wire, and how long it lasts. In the last stage the money has arrived. */
type Stage = { readonly status: string; readonly lastsMs: number }

const WITHDRAWAL = {
  begin: [
    { status: 'NEW', lastsMs: 2_000 },
    { status: 'CONFIRM', lastsMs: 3_000 },
  ],
  rebalance: [{ status: 'PENDING_REBALANCE', lastsMs: 60_000 }],
  end: [
    { status: 'PROCESSING', lastsMs: 25_000 },
    { status: 'COMPLETED', lastsMs: 0 },
  ],
} as const

const TRANSFER: readonly Stage[] = [
  { status: 'CREATED', lastsMs: 500 },
  { status: 'PENDING', lastsMs: 1_500 },
  { status: 'COMPLETED', lastsMs: 0 },
]

const SETTLING: readonly Stage[] = [
  { status: 'PENDING', lastsMs: 3_000 },
  { status: 'COMPLETED', lastsMs: 0 },
]

/** The stages of a move, in their order. */
function moveStages(move: Move): readonly Stage[] {
  if (move.kind === 'transfer') return TRANSFER
  if (move.kind === 'settling') return SETTLING
  const { begin, rebalance, end } = WITHDRAWAL
  return move.isCrossChain ? [...begin, ...rebalance, ...end] : [...begin, ...end]
}

/** The stage that a move is in. */
function currentStage(move: Move): Stage {
  const stage = moveStages(move)[move.stage]
  if (!stage) throw new RangeError('the move is over')
  return stage
}

/**
 * Turns the results of an account's cross positions into balance at the current mark price. Cost and balance grow by
 * the same amount, so the margin does not change. Accounts with opposite results pay or receive at once, largest result
 * first. Isolated positions are settled when they are closed.
 */
function settlePnl(
  exchange: ExchangeState,
  account: Account,
  { id, atMs: requestedAtMs }: Pick<PendingSettlement, 'id' | 'atMs'>,
  atMs: number,
): void {
  const own = account.used.filter(isUnsettled)
  const others = own.flatMap(oppositeResults)
  settleOne(exchange, account, own, { id, requestedAtMs, atMs })
  for (const [other, marketAccounts] of Map.groupBy(
    others,
    (marketAccount) => marketAccount.account,
  ))
    settleOne(exchange, other, marketAccounts, { id: nextEngineId(exchange), requestedAtMs, atMs })
}

function settleOne(
  exchange: ExchangeState,
  account: Account,
  marketAccounts: readonly MarketAccount[],
  request: Pick<SettledResults, 'id' | 'requestedAtMs' | 'atMs'>,
): void {
  const before = account.holding
  const parts = marketAccounts.map((marketAccount) =>
    bookSettlement(exchange, marketAccount, request.atMs),
  )
  const settled = { ...request, account, before, after: account.holding, parts }
  for (const { settled: publish } of exchange.observers) publish?.(settled)
}

function bookSettlement(
  { sequence }: ExchangeState,
  marketAccount: MarketAccount,
  atMs: number,
): SettledPart {
  const { market, account, pnl: amount } = marketAccount
  account.holding += amount
  marketAccount.cost += amount
  marketAccount.accruedFunding = 0
  marketAccount.settlePrice = marketAccount.quantity === 0 ? 0 : market.mark * market.spec.tick
  marketAccount.updatedAtMs = atMs
  marketAccount.sequence = sequence
  marketAccount.stamp = -1
  return { market, amount }
}

/** The positions with the largest opposite results in the same market, until these results add up to this result. */
function oppositeResults({ market, account, pnl }: MarketAccount): MarketAccount[] {
  const opposite = [...market.holders]
    .filter((other) => other.account !== account && isUnsettled(other) && other.pnl < 0 === pnl > 0)
    .sort((a, b) => Math.abs(b.pnl) - Math.abs(a.pnl) || a.account.number - b.account.number)
  let left = Math.abs(pnl)
  return opposite.filter((other) => {
    if (left <= 0) return false
    left -= Math.abs(other.pnl)
    return true
  })
}

function isUnsettled(marketAccount: MarketAccount): boolean {
  if (marketAccount.stamp !== marketAccount.market.stamp) refresh(marketAccount)
  return !marketAccount.isolated && marketAccount.pnl !== 0
}
