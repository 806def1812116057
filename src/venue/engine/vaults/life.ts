import { HOUR_MS } from '../../../spec/durations.ts'
import { accountAt, countFlow, deposit } from '../accounts.ts'
import { plan } from '../events/queue.ts'
import { type Exchange, nextId } from '../exchange.ts'
import { freeCollateralOf, marginOf } from '../margin/margin.ts'
import { watch } from '../margin/solvency.ts'
import { settlePnl } from '../money/settle.ts'
import type { Account } from '../state.ts'
import type { World } from '../world.ts'
import { giveBack, nextMove, restOf } from './investors.ts'
import { claim, enqueue } from './ledger.ts'
import { type Closing, closePeriod } from './period.ts'
import { navOf, periodAt, periodStartMs, sampleOf, takesDeposits } from './value.ts'
import type { Vault } from './vault.ts'

/** A vault's hour: the period ends when it is its time, and its value is noted. */
export function passHour(world: World, vault: Vault, atMs: number): void {
  const { ledger } = vault
  if (periodStartMs(ledger, periodAt(ledger, atMs)) === atMs) endPeriod(world, vault, atMs)
  const sample = sampleOf(vault, atMs)
  for (const { valued } of world.exchange.observers) valued?.(vault, sample)
  plan(world.queue, atMs + HOUR_MS, 'vault', vault.number)
}

/** Lets an investor look at its vault; what it brings comes from its chain, and what it fetches goes there. */
export function invest({ exchange, queue }: World, vault: Vault, at: number, atMs: number): void {
  const { ledger, escrow, investors, number } = vault
  const investor = investors[at]
  if (!investor) throw new RangeError('no such investor')
  const move = nextMove(investor, ledger, takesDeposits(vault), atMs)
  if (move?.kind === 'ask') {
    const { amount } = enqueue(ledger, move.wish, atMs)
    deposit(exchange, escrow, amount)
  }
  if (move?.kind === 'claim') {
    const over = claim(ledger, investor, atMs)
    for (const transaction of over) {
      investor.purse += transaction.amount
      deposit(exchange, escrow, -transaction.amount)
      for (const { transacted } of exchange.observers) transacted?.(vault, transaction)
    }
  }
  plan(queue, atMs + restOf(investor), 'invest', number, at)
}

/**
 * Ends a vault's period at its value of now, which it settles as a provider does before it pays out; what comes in and
 * goes out changes accounts.
 */
function endPeriod(world: World, vault: Vault, atMs: number): void {
  const { exchange } = world
  const { ledger, account, terms } = vault
  settlePnl(exchange, account, { id: nextId(exchange), atMs }, atMs)
  const payoutMax = Math.min(account.holding, freeCollateralOf(marginOf(account)))
  const nav = navOf(vault)
  const closing = closePeriod(
    ledger,
    { nav, payoutMax: Math.max(0, payoutMax), feeRate: terms.feeRate },
    atMs,
  )
  moveMoney(world, vault, closing)
  watch(exchange, account)
  for (const { periodEnded } of exchange.observers) periodEnded?.(vault, closing)
}

function moveMoney(
  { exchange }: World,
  vault: Vault,
  { deposits, returned, payouts }: Closing,
): void {
  const { account, escrow, investors } = vault
  for (const { amount } of deposits) transfer(escrow, account, amount)
  for (const { amount, account: number } of returned) {
    if (number === null) deposit(exchange, escrow, -amount)
    else handOver(exchange, escrow, number, amount)
  }
  giveBack(investors, returned)
  for (const { amount, account: number } of payouts) {
    if (number === null) transfer(account, escrow, amount)
    else handOver(exchange, account, number, amount)
  }
}

function handOver(exchange: Exchange, from: Account, number: number, amount: number): void {
  const owner = accountAt(exchange, number)
  transfer(from, owner, amount)
  watch(exchange, owner)
}

/** Moves balance from one account to another. */
export function transfer(from: Account, to: Account, amount: number): void {
  from.holding -= amount
  countFlow(from, -amount)
  to.holding += amount
  countFlow(to, amount)
}
