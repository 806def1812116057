import { VAULT_RULES } from '../../engine/vaults/terms.ts'
import type { Vault } from '../../engine/vaults/vault.ts'

const PER_MS = 1000

/**
 * A nonce for a vault's next request: the time, and how many requests there were. Asking for it changes nothing, and it
 * is another one as soon as one was spent.
 */
export function nonceAt(vaults: readonly Vault[], nowMs: number): number {
  const requests = vaults.reduce((sum, { ledger }) => sum + ledger.sequence, 0)
  return nowMs * PER_MS + (requests % PER_MS)
}

/** Whether a nonce was given out, and not too long ago. */
export function isFresh(nonce: string, nowMs: number): boolean {
  if (!/^\d{1,16}$/.test(nonce)) return false
  const ageMs = nowMs - Math.floor(Number(nonce) / PER_MS)
  return ageMs >= 0 && ageMs <= VAULT_RULES.nonceLifeMs
}
