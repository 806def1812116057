import { watch } from '../margin/solvency.ts'
import { canSpare, USDC } from '../money/balances.ts'
import { REJECTIONS, type Rejection } from '../rejections.ts'
import type { Account } from '../state.ts'
import type { World } from '../world.ts'
import { enqueue, type Wish } from './ledger.ts'
import { transfer } from './life.ts'
import { VAULT_RULES } from './terms.ts'
import { availableOf, isOwn, stakeOf, takesDeposits } from './value.ts'
import type { Transaction, Vault } from './vault.ts'

/**
 * Takes a request of an account: the money of a deposit leaves its balance at once, and is traded with from the end of
 * the period; shares of a withdrawal are bound at once, and paid at the end of a period.
 */
export function askVault(
  world: World,
  vault: Vault,
  account: Account,
  wish: Omit<Wish, 'account' | 'role'>,
  atMs: number,
): Transaction | Rejection {
  const asked: Wish = { ...wish, role: 'lp', account: account.number }
  const refused = refusalOf(world, vault, account, asked, atMs)
  if (refused) return refused
  if (asked.type === 'deposit') {
    transfer(account, vault.escrow, asked.size)
    watch(world.exchange, account)
  }
  return enqueue(vault.ledger, asked, atMs)
}

function refusalOf(
  world: World,
  vault: Vault,
  account: Account,
  wish: Wish,
  atMs: number,
): Rejection | null {
  const { ledger } = vault
  const { size, role, wallet, type } = wish
  if (ledger.open.filter((each) => isOwn(each, wish)).length >= VAULT_RULES.pendingMax)
    return REJECTIONS.vaultBusy
  if (type === 'deposit') return depositRefusal(world, vault, account, size)
  const stake = stakeOf(ledger, role, wallet)
  const available = stake ? availableOf(ledger, role, stake, atMs) : 0
  if (size > available) return REJECTIONS.shares
  return size < Math.min(VAULT_RULES.withdrawalMin, available) ? REJECTIONS.vaultMin : null
}

function depositRefusal(
  world: World,
  vault: Vault,
  account: Account,
  amount: number,
): Rejection | null {
  if (!takesDeposits(vault)) return REJECTIONS.vaultClosed
  if (amount < VAULT_RULES.depositMin) return REJECTIONS.vaultMin
  return canSpare(world, account, USDC, amount) ? null : REJECTIONS.balance
}
