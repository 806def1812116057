import { randomOf } from '../random.ts'

/** What a fault strikes: two faults of one target never overlap, any others may. */
type Target =
  | 'descriptors'
  | 'postgres way'
  | 'valkey way'
  | 'disk'
  | 'clock'
  | 'postgres'
  | 'valkey'
  | 'venue'
  | 'live venue'

type FaultRow = {
  readonly target: Target
  /** Whether it strikes one instance, and not what all of them share. */
  readonly isOfInstance: boolean
  readonly seconds: readonly [min: number, max: number]
}

/** Every kind of fault that lasts for a while. */
// biome-ignore format: one fault a row
export const STORM_FAULTS = {
  'descriptors exhausted': { target: 'descriptors', isOfInstance: true, seconds: [4, 14] },
  'PostgreSQL cut off': { target: 'postgres way', isOfInstance: true, seconds: [1, 8] },
  'PostgreSQL silent': { target: 'postgres way', isOfInstance: true, seconds: [1, 8] },
  'Valkey cut off': { target: 'valkey way', isOfInstance: true, seconds: [1, 8] },
  'Valkey silent': { target: 'valkey way', isOfInstance: true, seconds: [1, 8] },
  'disk full': { target: 'disk', isOfInstance: true, seconds: [2, 10] },
  'disk out of inodes': { target: 'disk', isOfInstance: true, seconds: [2, 10] },
  'clock stepped': { target: 'clock', isOfInstance: true, seconds: [1, 12] },
  'PostgreSQL killed': { target: 'postgres', isOfInstance: false, seconds: [0.1, 4] },
  'PostgreSQL frozen': { target: 'postgres', isOfInstance: false, seconds: [0.5, 5] },
  'Valkey killed': { target: 'valkey', isOfInstance: false, seconds: [0.1, 4] },
  'Valkey frozen': { target: 'valkey', isOfInstance: false, seconds: [0.5, 5] },
  'venue refuses connections': { target: 'venue', isOfInstance: false, seconds: [0.5, 5] },
  'venue silent': { target: 'venue', isOfInstance: false, seconds: [0.5, 6] },
  'live messages malformed': { target: 'live venue', isOfInstance: false, seconds: [2, 8] },
  'live connections cut': { target: 'live venue', isOfInstance: false, seconds: [0.1, 1] },
  'live venue down': { target: 'live venue', isOfInstance: false, seconds: [1, 6] },
} as const satisfies Record<string, FaultRow>

export type StormFault = keyof typeof STORM_FAULTS

/** One fault of a storm: which, of which instance (0 where all share it), when, and a number that says how. */
export type Planned = {
  readonly fault: StormFault
  readonly instance: number
  readonly fromMs: number
  readonly untilMs: number
  readonly random: number
}

const FAULTS = Object.keys(STORM_FAULTS).filter(isFault)
/** A fault begins this often on average; about three hold at a time. */
const BEGIN_EVERY_MS = 1600
/** Nothing is wrong at the beginning. */
const CALM_MS = 1000

/** The faults of so many milliseconds, in the order in which they begin: the same for the same seed. */
export function planOf(seed: number, durationMs: number, instances: number): readonly Planned[] {
  const random = randomOf(seed)
  const plan: Planned[] = []
  for (let atMs = CALM_MS; atMs < durationMs; atMs += random() * 2 * BEGIN_EVERY_MS) {
    const drawn = draw(random, instances, atMs)
    if (drawn.untilMs < durationMs && !plan.some((other) => collides(drawn, other))) {
      plan.push(drawn)
    }
  }
  return plan
}

function draw(random: () => number, instances: number, fromMs: number): Planned {
  const fault = FAULTS[Math.floor(random() * FAULTS.length)] ?? 'venue silent'
  const { isOfInstance, seconds } = STORM_FAULTS[fault]
  const [min, max] = seconds
  const instance = isOfInstance ? Math.floor(random() * instances) : 0
  const untilMs = fromMs + 1000 * (min + random() * (max - min))
  return { fault, instance, fromMs, untilMs, random: random() }
}

function collides(one: Planned, other: Planned): boolean {
  const isSamePlace =
    STORM_FAULTS[one.fault].target === STORM_FAULTS[other.fault].target &&
    one.instance === other.instance
  return isSamePlace && one.fromMs < other.untilMs && other.fromMs < one.untilMs
}

function isFault(name: string): name is StormFault {
  return Object.hasOwn(STORM_FAULTS, name)
}
