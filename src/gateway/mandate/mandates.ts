import { createBoundedMap } from '../../core/bounded-map.ts'
import type { Limits, Mandate, MandateStore, StoredMandate } from '../../core/mandate.ts'
import type { Controls } from '../controls/controls.ts'

/** The mandates in force. Every write looks up the mandate of its account. */
export type Mandates = Pick<MandateStore, 'find' | 'put' | 'tighten'> & {
  /**
   * The mandate of an account; null without a mandate. The account id must be in lower case. Throws Failure
   * store_unavailable.
   */
  readonly of: (accountId: string) => Promise<Mandate | null>
}

/** Maximum number of mandates plus listed markets in memory. */
const HELD_MAX = 50_000

/**
 * The store's mandates, with recently used mandates cached. A change by this instance takes effect at once; a change by
 * a different instance takes effect when the store reports it.
 */
export function createMandates(
  store: MandateStore,
  { isFrozen, loss }: Pick<Controls, 'isFrozen' | 'loss'>,
): Mandates {
  const held = createBoundedMap<string, StoredMandate | null>(HELD_MAX)
  let changes = 0

  function forget(accountId: string | null): void {
    changes += 1
    if (accountId === null) held.clear()
    else held.drop(accountId)
  }

  async function read(accountId: string): Promise<StoredMandate | null> {
    const known = held.get(accountId)
    if (known !== undefined) return known
    const before = changes
    const found = await store.find(accountId)
    // Caches the row only if no change arrived during the read.
    if (changes === before) held.put(accountId, found, 1 + (found?.limits.symbols?.length ?? 0))
    return found
  }

  function frozenBy(accountId: string): Partial<Pick<Mandate, 'frozenBy'>> {
    return isFrozen(accountId) ? { frozenBy: 'operator' } : {}
  }

  store.watch(forget)
  return {
    find: store.find,
    put: (mandate) => store.put(mandate).finally(() => forget(mandate.accountId)),
    tighten: (found, next) => store.tighten(found, next).finally(() => forget(found.accountId)),
    of: async (accountId) => {
      const mandate = await read(accountId)
      const lost = loss()
      if (lost && (mandate?.signedAtMs ?? 0) <= lost.atMs)
        return { ...(mandate ?? unsignedMandate(accountId)), loss: lost, ...frozenBy(accountId) }
      if (isFrozen(accountId))
        return { ...(mandate ?? unsignedMandate(accountId)), frozenBy: 'operator' }
      return mandate && restrictsAccount(mandate) ? mandate : null
    },
  }
}

function unsignedMandate(accountId: string): Mandate {
  return { accountId, limits: {}, counter: 0, frozenBy: 'none' }
}

function restrictsAccount({ limits, frozenBy }: StoredMandate): boolean {
  return frozenBy !== 'none' || Object.values<Limits[keyof Limits]>(limits).some(isSet)
}

function isSet(limit: Limits[keyof Limits]): boolean {
  return limit !== undefined && limit !== false
}
