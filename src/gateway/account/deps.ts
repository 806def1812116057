import type { Clock, Store, Upstream } from '../../core/ports.ts'
import type { Scrub } from '../../scrub/scrub.ts'
import type { Controls } from '../controls/controls.ts'
import type { Operator } from '../operator.ts'

/** What opening an account uses: the venue, what may be spent once, and the operator's id there. */
export type AccountDeps = {
  readonly upstream: Upstream
  readonly clock: Clock
  readonly store: Pick<Store, 'nonces' | 'once' | 'proofs'>
  readonly scrub: Scrub
  readonly operator: Pick<Operator, 'brokerId'>
  readonly controls: Pick<Controls, 'assertParty'>
}
