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

/** Makes vouchers: its configuration, chains, signers, store, and the requests under way. */
export type VoucherService = {
  readonly config: VoucherConfig
  readonly chains: Chains
  /** Null without a key: vouchers are then not available. */
  readonly signers: VoucherSigners | null
  readonly store: VoucherStore
  readonly flights: ReturnType<typeof createFlights>
  readonly unknown: ReturnType<typeof createUnknownHashes>
  /** How often endpoints contradicted each other since the start. */
  readonly disagreements: { readonly total: () => number; readonly add: () => void }
}

/** The service, with no request under way. */
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

/** Equal requests share one run. */
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
    /** Throws the error of the run, or a refusal when too many different runs are under way. */
    join: async (key: string, run: () => Promise<Answer>): Promise<Answer> => {
      if (!flights.isUnderWay(key) && flying >= VOUCHER_LIMITS.flightsMax) {
        throw new VoucherRefusal('unreadable')
      }
      return flights.join(key, () => counted(run))
    },
  }
}

/** Transactions that a quorum did not know a moment ago. */
function createUnknownHashes(clock: Clock) {
  // All entries live equally long, so the oldest also ends next.
  const ends = createBoundedMap<string, number>(VOUCHER_LIMITS.unknownHashesMax)
  return {
    has: (key: string): boolean => (ends.get(key) ?? 0) > clock.nowMs(),
    add: (key: string): void => ends.put(key, clock.nowMs() + VOUCHER_LIMITS.unknownHashMs),
  }
}
