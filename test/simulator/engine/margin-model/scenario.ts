import { randomAt, randomStream } from '../../../../src/simulator/base/rng.ts'
import type { Difference } from './compare.ts'
import type { World } from './figures.ts'
import * as ledger from './ledger.ts'
import { type Client, openWire, type Wire } from './wire.ts'

/** One account: the venue's client and the model's ledger beside it. */
export type Side = {
  readonly client: Client
  readonly account: ledger.Account
  /** USDC that rounding may have moved so far: a micro an event, and rates of eight decimals. */
  slack: number
  lastTrade: number
  readonly liquidations: Set<number>
  readonly settlements: Set<number>
}

export const MICRO = 0.000001
export const RATE = 0.00000001

export type Scenario = {
  readonly wire: Wire
  readonly sides: readonly Side[]
  readonly rng: () => number
  readonly differences: (Difference & { readonly at: string })[]
  readonly counts: Record<string, number>
}

export async function openScenario(seed: number): Promise<Scenario> {
  const wire = await openWire(seed)
  const source = randomStream(seed, 'margin-story')
  let draws = 0
  return {
    wire,
    sides: wire.clients.map((client) => ({
      ...{ client, account: ledger.openAccount(), slack: 0, lastTrade: 0 },
      liquidations: new Set(),
      settlements: new Set(),
    })),
    rng: () => randomAt(source, draws++),
    differences: [],
    counts: {},
  }
}

export function count({ counts }: Scenario, name: string, by = 1): void {
  counts[name] = (counts[name] ?? 0) + by
}

/** The rules of a scenario's markets, and their prices now. */
export function worldOf({ wire }: Scenario): World {
  return { rules: wire.rules, now: wire.now(), collaterals: wire.collaterals }
}

/** When something was seen, and with which prices. */
export type Moment = { readonly world: World; readonly at: string }

/** Notes a figure of the wire that is not the model's. */
export function expectNear(
  scenario: Scenario,
  at: string,
  {
    figure,
    venue,
    model,
  }: { readonly figure: string; readonly venue: number; readonly model: number },
  within = 0.00002,
): void {
  count(scenario, 'figures')
  if (Math.abs(venue - model) > within) scenario.differences.push({ at, figure, venue, model })
}
