import type { Clock, Log, Random, Store, Upstream } from '../core/ports.ts'
import type { Reply } from '../core/reply.ts'
import type { Scrub } from '../core/scrub.ts'
import type { SwapProvider } from '../core/swap-provider.ts'
import type { Verifier } from '../core/verifier.ts'
import type { Cache } from './cache.ts'
import type { Limiter } from './limiter.ts'
import type { ReferralDesk } from './referral-desk.ts'
import type { SingleFlight } from './single-flight.ts'
import type { VoucherDesk } from './voucher-desk.ts'
import type { WriteLedger } from './write-ledger.ts'

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
  /** Null where no swap upstream is set. */
  readonly swap: SwapProvider | null
  /** Quotes under way, so that the same request made twice at once is one call upstream. */
  readonly swapQuotes: SingleFlight<Reply>
  /** Null where vouchers are off. */
  readonly vouchers: VoucherDesk | null
}

/** Who asks. `limitKey` is the address as the rate windows count it: IPv6 by /64. */
export type Caller = { readonly address: string; readonly limitKey: string }
