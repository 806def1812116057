import type { Clock, Log, Store, Upstream } from '../../core/ports.ts'
import type { Scrub } from '../../scrub/scrub.ts'
import type { Operator } from '../operator.ts'
import type { ReferralDesk } from './desk.ts'

/** What calls to the affiliate program use. */
export type ProgramDeps = {
  readonly upstream: Upstream
  readonly clock: Clock
  readonly log: Log
}

/** What the referral writes use: the program, the desk they wait at, and the name nobody may claim. */
export type ReferralDeps = ProgramDeps & {
  readonly store: Pick<Store, 'once'>
  readonly scrub: Scrub
  readonly operator: Pick<Operator, 'serviceName'>
  readonly referral: ReferralDesk
}
