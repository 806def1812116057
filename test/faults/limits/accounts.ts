import type { Limits } from '../../../src/core/mandate.ts'
import type { TestCaller } from '../../caller.ts'
import { openAt } from '../../cluster/postgres/instance.ts'

/** Gives accounts a mandate in a database, whose keys the venue has accepted. */
export async function giveMandates(
  url: string,
  callers: readonly TestCaller[],
  limits: Limits,
): Promise<void> {
  const store = await openAt(url)
  for (const caller of callers) {
    const accountId = caller.accountId.toLowerCase()
    await store.mandates.put({ accountId, limits, counter: 1, frozenBy: 'none', changedAtMs: 0 })
    await store.proofs.add(accountId, caller.key, Date.now())
  }
  store.close()
}
