import { VOUCHER_LIMITS } from '../../contract/voucher.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'
import type { Clock } from '../../core/ports.ts'
import type { VoucherStore } from '../../store/voucher/port.ts'
import type { Answer } from '../cache/answer.ts'
import { createSingleFlight } from '../cache/single-flight.ts'
import type { Chains } from './chains.ts'
import type { VoucherConfig } from './config.ts'
import { VoucherRefusal } from './refusal.ts'
import type { VoucherSigners } from './signers.ts'

/** The voucher service: configuration, chains, signers, store and running requests. */
export type VoucherService = {
  readonly config: VoucherConfig
  readonly chains: Chains
  /** Null without a key; vouchers are then not available. */
  readonly signers: VoucherSigners | null
  readonly store: VoucherStore
  readonly flights: ReturnType<typeof createFlights>
  readonly unknown: ReturnType<typeof createUnknownHashes>
  /** Counts contradictions between endpoints since the start. */
  readonly disagreements: { readonly total: () => number; readonly add: () => void }
}

/** Creates the service. */
export function openVoucherService(
  parts: Pick<VoucherService, 'config' | 'chains' | 'signers' | 'store'> & {
    readonly clock: Clock
  },
): VoucherService {
  const { clock, ...given } = parts
  return {
    ...given,
    flights: createFlights(),
    unknown: createUnknownHashes(clock),
    disagreements: createTally(),
  }
}

function createTally() {
  let total = 0
  const add = () => {
    total += 1
  }
  return { total: () => total, add }
}

/** Runs requests. Identical concurrent requests share one run. */
function createFlights() {
  let flying = 0
  const flights = createSingleFlight<Answer>(() => undefined)

  async function counted(run: () => Promise<Answer>): Promise<Answer> {
    flying += 1
    try {
      return await run()
    } finally {
      flying -= 1
    }
  }

  return {
    /** Throws the error of the run, or VoucherRefusal `unreadable` if too many runs are in progress. */
    join: async (key: string, run: () => Promise<Answer>): Promise<Answer> => {
      if (!flights.isUnderWay(key) && flying >= VOUCHER_LIMITS.flightsMax) {
        throw new VoucherRefusal('unreadable')
      }
      return flights.join(key, () => counted(run))
    },
  }
}

/** Remembers for a short time which transactions a quorum did not know. */
function createUnknownHashes(clock: Clock) {
  // All entries have the same lifetime, so the oldest entry is also the next to expire.
  const ends = createBoundedMap<string, number>(VOUCHER_LIMITS.unknownHashesMax)
  return {
    has: (key: string): boolean => (ends.get(key) ?? 0) > clock.nowMs(),
    add: (key: string): void => ends.put(key, clock.nowMs() + VOUCHER_LIMITS.unknownHashMs),
  }
}
