import type { Store } from '../../core/ports.ts'
import type { Scrub } from '../../scrub/scrub.ts'
import type { Operator } from '../operator.ts'
import type { OperatorCallDeps } from '../operator-call.ts'
import type { ReferralDesk } from './desk.ts'

/** What the referral writes use: the program, the desk they wait at, and the name nobody may claim. */
export type ReferralDeps = OperatorCallDeps & {
  readonly store: Pick<Store, 'once'>
  readonly scrub: Scrub
  readonly operator: Pick<Operator, 'serviceName'>
  readonly referral: ReferralDesk
}
