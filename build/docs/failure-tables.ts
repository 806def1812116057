import { FAILURES, REASONS } from '../../src/contract/failures.ts'
import { FAILURE_ADVICE, REASON_ADVICE } from './failure-advice.ts'
import { namesIn, table } from './markdown.ts'

type Scope = 'all' | 'relay'

/** Every failure, or those of the relay, with status, cause and next step. */
export function failureTable(scope: Scope): string {
  const rows = namesIn(FAILURES)
    .filter((code) => scope === 'all' || FAILURE_ADVICE[code].isRelayed)
    .map((code) => {
      const { cause = FAILURES[code].error, next } = FAILURE_ADVICE[code]
      return [`\`${code}\``, String(FAILURES[code].status), cause, next]
    })
  return table(['Code', 'Status', 'Cause', 'Next step'], rows)
}

/** Every `meta.reason`, or those of the relay, with its failures, its meaning and the next step. */
export function reasonTable(scope: Scope): string {
  const rows = namesIn(REASONS)
    .filter((reason) => scope === 'all' || REASON_ADVICE[reason].isRelayed)
    .map((reason) => {
      const { codes, meaning } = REASONS[reason]
      const names = codes.map((code) => `\`${code}\``).join(' ')
      return [`\`${reason}\``, names, meaning, REASON_ADVICE[reason].next]
    })
  return table(['`meta.reason`', 'With', 'Cause', 'Next step'], rows)
}
