import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { approvalStatements } from '../../src/store/approvals.ts'
import { KNOWN_VERSION, migrateTo } from '../../src/store/connection/migrations.ts'

test('whether an account may ask for an approval is read from an index alone: no body is read', () => {
  using database = new Database(':memory:', { strict: true })
  migrateTo(database, KNOWN_VERSION)
  const { recent } = approvalStatements('approvals')
  const plan = database
    .query<{ detail: string }, [{ accountId: string; sinceMs: number }]>(
      `EXPLAIN QUERY PLAN ${recent.text}`,
    )
    .all({ accountId: 'a', sinceMs: 0 })
    .map(({ detail }) => detail)
  expect(plan[0]).toBe(
    'SEARCH approvals USING COVERING INDEX approvals_account (account_id=? AND state=? AND asked_at_ms>?)',
  )
})
