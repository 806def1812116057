/** Whose spending the writes of an account count towards. */
export function scopeOf(accountId: string): string {
  return `mandate ${accountId}`
}

/** Whose transfers those of an account count towards. */
export function transferScope(accountId: string): string {
  return `mandate transfers ${accountId}`
}

/** Whose spending the writes of an account that go without approval count towards. */
export function unapprovedScope(accountId: string): string {
  return `mandate unapproved ${accountId}`
}
