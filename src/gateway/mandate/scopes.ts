/** The scope that the spending of an account counts towards. */
export function spendingScope(accountId: string): string {
  return `mandate ${accountId}`
}

/** The scope that the transfers of an account count towards. */
export function transferScope(accountId: string): string {
  return `mandate transfers ${accountId}`
}

/** The scope that an account's unapproved writes count towards. */
export function unapprovedScope(accountId: string): string {
  return `mandate unapproved ${accountId}`
}
