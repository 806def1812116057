import { nameOf } from '../../cache/shelf.ts'
import type { Log, Store } from '../../core/ports.ts'

type Proofs = Store['proofs']

/**
 * Proofs whose troubles cost no answer: a pair that cannot be looked up counts as unproven, and one that cannot be
 * written down is proven again by the next answer.
 */
export function forgivingProofs(proofs: Proofs, log: Log): Proofs {
  function forgive<Value>(what: string, instead: Value) {
    return (error: unknown): Value => {
      log.warn('proof_failed', { what, error: nameOf(error) })
      return instead
    }
  }
  const unknown = forgive('has', false)
  return {
    has: (account, key) => proofs.has(account, key).catch(unknown),
    add: (...pair) => proofs.add(...pair).catch(forgive('add', undefined)),
    remove: (...pair) => proofs.remove(...pair).catch(forgive('remove', undefined)),
  }
}
