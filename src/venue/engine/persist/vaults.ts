import type { Account } from '../state.ts'
import { VAULT_TERMS } from '../vaults/terms.ts'
import type { Vault } from '../vaults/vault.ts'

/** A vault as plain data; its terms are found again by their name. */
export type VaultRow = ReturnType<typeof vaultRow>

export function vaultRow({ account, escrow, terms, ledger, ...vault }: Vault) {
  return {
    ...vault,
    terms: terms.name,
    account: account.number,
    escrow: escrow.number,
    ledger: { ...ledger, stakes: [...ledger.stakes.values()] },
  }
}

/** Throws RangeError when its terms are gone. */
export function restoreVault(row: VaultRow, accountAt: (number: number) => Account): Vault {
  const terms = VAULT_TERMS.find(({ name }) => name === row.terms)
  if (!terms) throw new RangeError('a vault without terms')
  const { ledger } = row
  return {
    ...row,
    terms,
    account: accountAt(row.account),
    escrow: accountAt(row.escrow),
    ledger: { ...ledger, stakes: new Map(ledger.stakes.map((stake) => [stake.wallet, stake])) },
  }
}
