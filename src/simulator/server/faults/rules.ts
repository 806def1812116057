import {
  FAULT_DEFAULTS,
  FAULT_LIMITS,
  FAULTS,
  type FaultKind,
} from '../../../contract/venue/faults.ts'
import type { Clock, EntityChange, EntityStore } from '../../../core/ports.ts'
import { createRng, nextRandom, type Rng } from '../../base/rng.ts'

/** An active fault with its path, its probability, and its end by the venue's clock. */
export type FaultRule = {
  readonly id: number
  readonly kind: FaultKind
  /** A path or a live topic; * stands for any part. */
  readonly path: string
  readonly probability: number
  /** How many more times the fault applies; null for no limit. */
  left: number | null
  /** Number of calls or messages for which the rule has drawn random numbers. */
  drawn: number
  readonly untilMs: number | null
  readonly ms: number
  readonly sigma: number
  /** The share of an order that a partial fill executes. */
  readonly share: number
}

/** The parameters of a new fault. Absent parameters have defaults. */
export type FaultTerms = {
  readonly kind: FaultKind
  readonly path?: string | undefined
  readonly probability?: number | undefined
  readonly count?: number | undefined
  readonly for?: number | undefined
  readonly ms?: number | undefined
  readonly sigma?: number | undefined
  readonly share?: number | undefined
}

/** A fault that applies to a call, with random numbers for this call. */
export type Hit = { readonly rule: FaultRule; readonly rng: Rng }

/** The injected faults of a venue. */
export type FaultInjector = {
  /** Adds a fault at a time of the venue's clock. Null if there are too many. */
  readonly add: (terms: FaultTerms, atMs: number) => FaultRule | null
  readonly list: () => readonly FaultRule[]
  readonly clear: () => void
  /** Draws which faults apply to a path or a live topic, oldest first. */
  readonly hits: (place: 'call' | 'stream', subject: string) => readonly Hit[]
  /** A number that rises whenever a fault is added or removed. */
  readonly changes: () => number
}

type InjectorOptions = {
  readonly seed: number
  /** The venue's clock. */
  readonly clock: Clock
  readonly entities: EntityStore
}

type CompiledRule = {
  readonly rule: FaultRule
  readonly pattern: RegExp
  readonly source: Rng['source']
}

const KIND = 'venue-faults'
/** Random numbers per call: one decides whether the fault applies, two give a lognormal delay. */
const DRAWS = 3

/**
 * Opens the stored faults. Each has its own random stream from the seed, so that the same calls in the same order get
 * the same faults, even across a restart.
 */
export function openFaults({ seed, clock, entities }: InjectorOptions): FaultInjector {
  const stored = [...entities.load(KIND)].map(({ json }) => storedRule(json))
  let laid = stored.sort((a, b) => a.id - b.id).map((rule) => compileRule(rule, seed))
  let lastId = stored.at(-1)?.id ?? 0
  let changes = 0

  function replace(rules: readonly CompiledRule[]): void {
    const kept = new Set(rules.map(({ rule }) => rule.id))
    entities.commit([
      ...laid
        .filter(({ rule }) => !kept.has(rule.id))
        .map(({ rule }) => ({ kind: KIND, key: String(rule.id), json: null })),
      ...rules.map(ruleEntity),
    ])
    laid = [...rules]
    changes += 1
  }

  function activeFaults(): readonly CompiledRule[] {
    const nowMs = clock.nowMs()
    return laid.filter(
      ({ rule }) => rule.left !== 0 && (rule.untilMs === null || nowMs < rule.untilMs),
    )
  }

  /**
   * Draws faults, and stores the positions of their random streams before the faults apply, so that a restart continues
   * the streams.
   */
  function draw(place: 'call' | 'stream', subject: string): readonly Hit[] {
    const met = activeFaults().filter((each) => isMet(each, place, subject))
    const hits = met.flatMap(drawFaultHit)
    const drawn = met.filter(({ rule }) => isDrawn(rule))
    if (drawn.length > 0) entities.commit(drawn.map(ruleEntity))
    return hits
  }

  return {
    add(terms, atMs) {
      const known = activeFaults()
      if (known.length >= FAULT_LIMITS.rulesMax) return null
      lastId += 1
      const rule = newRule(lastId, terms, atMs)
      replace([...known, compileRule(rule, seed)])
      return rule
    },
    list: () => activeFaults().map(({ rule }) => rule),
    clear: () => replace([]),
    hits: (place, subject) => (laid.length === 0 ? NONE : draw(place, subject)),
    changes: () => changes,
  }
}

const NONE: readonly Hit[] = []

/** A stored rule. If an earlier version stored it without a number of draws, that number is 0. */
function storedRule(json: string): FaultRule {
  const { share } = FAULT_DEFAULTS
  return { drawn: 0, share, ...(JSON.parse(json) as Omit<FaultRule, 'drawn' | 'share'>) }
}

function ruleEntity({ rule }: CompiledRule): EntityChange {
  return { kind: KIND, key: String(rule.id), json: JSON.stringify(rule) }
}

function isMet(
  { rule, pattern }: CompiledRule,
  place: 'call' | 'stream',
  subject: string,
): boolean {
  const isOfStreams = FAULTS[rule.kind].place === 'stream'
  return isOfStreams === (place === 'stream') && pattern.test(subject)
}

/** Whether the number of draws matters for a rule, because the rule is random or limited. */
function isDrawn({ probability, sigma, left }: FaultRule): boolean {
  return probability < 1 || sigma > 0 || left !== null
}

/** Draws whether a fault applies to one call or message; empty if it does not. */
function drawFaultHit({ rule, source }: CompiledRule): Hit[] {
  const rng: Rng = { source, used: rule.drawn * DRAWS }
  if (isDrawn(rule)) rule.drawn += 1
  if (nextRandom(rng) >= rule.probability) return []
  if (rule.left !== null) rule.left -= 1
  return [{ rule, rng }]
}

function compileRule(rule: FaultRule, seed: number): CompiledRule {
  const parts = rule.path.split('*').map((part) => RegExp.escape(part))
  const pattern = new RegExp(`^${parts.join('.*')}$`)
  return { rule, pattern, source: createRng(seed, 'fault', String(rule.id)).source }
}

function newRule(id: number, terms: FaultTerms, atMs: number): FaultRule {
  const { kind, path, probability, count, ms, sigma, share } = terms
  return {
    id,
    kind,
    path: path ?? FAULT_DEFAULTS.path,
    probability: probability ?? FAULT_DEFAULTS.probability,
    left: count ?? null,
    drawn: 0,
    untilMs: terms.for === undefined ? null : atMs + terms.for,
    ms: ms ?? FAULT_DEFAULTS.ms,
    sigma: sigma ?? FAULT_DEFAULTS.sigma,
    share: share ?? FAULT_DEFAULTS.share,
  }
}
