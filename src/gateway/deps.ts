import type { Cache } from '../cache/cache.ts'
import type { Clock, Log, Random, Store, Upstream } from '../core/ports.ts'
import type { Verifier } from '../crypto/verifier.ts'
import type { Limiter } from '../limits/limiter.ts'
import type { Scrub } from '../scrub/scrub.ts'
import type { ReferralDesk } from './referral/desk.ts'
import type { WriteLedger } from './relay/write-ledger.ts'

/** Who runs this deployment, as the venue and the callers know them. */
export type Operator = {
  readonly brokerId: string
  readonly serviceName: string
  /** Whether the rewards module is on. */
  readonly points: boolean
}

/** Everything a verb needs. Made once, in gateway.ts. */
export type Deps = {
  readonly operator: Operator
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly store: Store
  readonly upstream: Upstream
  readonly scrub: Scrub
  readonly verifier: Verifier
  readonly limiter: Limiter
  readonly cache: Cache
  readonly writes: WriteLedger
  readonly referral: ReferralDesk
}
