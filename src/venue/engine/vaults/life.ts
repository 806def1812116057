import { HOUR_MS } from '../../../spec/durations.ts'
import { deposit } from '../accounts.ts'
import { plan } from '../events/queue.ts'
import { freeCollateralOf, marginOf, refresh } from '../margin/margin.ts'
import { watch } from '../margin/solvency.ts'
import type { Account } from '../state.ts'
import type { World } from '../world.ts'
import { nextMove, restOf } from './investors.ts'
import { claim, enqueue } from './ledger.ts'
import { type Closing, closePeriod } from './period.ts'
import { navOf, periodAt, periodStartMs, sampleOf, takesDeposits } from './value.ts'
import type { Investor, Transaction, Vault } from './vault.ts'

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
    fetch(investor, over)
    for (const { amount } of over) deposit(exchange, escrow, -amount)
    for (const transaction of over)
      for (const { transacted } of exchange.observers) transacted?.(vault, transaction)
  }
  plan(queue, atMs + restOf(investor), 'invest', number, at)
}

function fetch(investor: Investor, over: readonly Transaction[]): void {
  for (const { amount } of over) investor.purse += amount
}

/** Ends a vault's period at its value of now; what comes in and goes out changes accounts. */
function endPeriod(world: World, vault: Vault, atMs: number): void {
  const { exchange } = world
  const { ledger, account, terms } = vault
  settlePnl(account)
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

/** Turns what open positions have won or lost at their mark into balance, as a provider does before it pays out. */
function settlePnl(account: Account): void {
  for (const exposure of account.used) {
    if (exposure.stamp !== exposure.market.stamp) refresh(exposure)
    account.holding += exposure.pnl
    exposure.cost += exposure.pnl
    exposure.accruedFunding = 0
    exposure.stamp = -1
  }
}

function moveMoney({ exchange }: World, vault: Vault, { deposits, payouts }: Closing): void {
  const { account, escrow } = vault
  for (const { amount } of deposits) transfer(escrow, account, amount)
  for (const { amount, account: number } of payouts)
    transfer(account, number === null ? escrow : ownerOf(exchange.accounts, number), amount)
  for (const { account: number } of payouts)
    if (number !== null) watch(exchange, ownerOf(exchange.accounts, number))
}

export function transfer(from: Account, to: Account, amount: number): void {
  from.holding -= amount
  to.holding += amount
}

function ownerOf(accounts: readonly Account[], number: number): Account {
  const owner = accounts[number]
  if (!owner) throw new RangeError('no such account')
  return owner
}
