import { LIMITS } from '../../contract/limits.ts'
import { VENUE_SYMBOLS } from '../../contract/market/symbols.ts'
import {
  EXEMPT_KEYS,
  PUBLIC_REMOVED_KEYS,
  REMOVED_KEYS,
  REMOVED_MEMBERS,
  RENAMED_KEYS,
} from '../../contract/scrub-lists.ts'
import { createBoundedMap } from '../../core/bounded-map.ts'
import { isObject, parseExact } from '../../core/json.ts'
import { type JsonRules, rewriteJson } from '../../core/json-rewrite.ts'
import { type DecimalRows, mayBeDecimal } from './decimal-rows.ts'
import { type Frame, frameOfScrubbed } from './frame.ts'
import { createMentionTest } from './mention.ts'
import { type Reply, replyOfScrubbed } from './reply.ts'
import { createNameTest, createPreScan } from './venue-name.ts'

export type ScrubPolicy = {
  /** `public` also loses `broker_ids`, keys that are names, and rows of markets that carry a builder's suffix. */
  readonly audience: 'public' | 'private'
  /** Further keys whose strings are never blanked, such as `name` in token rows. */
  readonly exempt?: readonly string[]
  /**
   * Keys that stay here although they are removed elsewhere: those of a message that a wallet has to sign unchanged.
   */
  readonly keeps?: readonly string[]
  /**
   * The kind of sentences in the answer. A row whose `message` names the venue leaves its list, and any other sentence
   * that names it becomes empty.
   */
  readonly prose?: Prose
}

/** Answers that hold sentences of the venue. */
export const PROSE = ['announcements', 'status'] as const

export type Prose = (typeof PROSE)[number]

/** The only way to a caller, and the only maker of replies. */
export type Scrub = {
  /**
   * Scrubs valid JSON text. Text that needs no change passes byte for byte, unparsed. In other text only the removed,
   * renamed or blanked parts change. Throws ScrubError when text that needs work is not JSON or nests deeper than
   * LIMITS.scrubDepthMax.
   */
  readonly text: (json: string, policy: ScrubPolicy) => Reply
  /** Scrubs a text that contains scanned rows. The values of these rows were checked by the scan. */
  readonly around: (before: string, rows: DecimalRows, after: string, policy: ScrubPolicy) => Reply
  /** Scrubs a value built here or by `parseExact`. Throws ScrubError when it cannot be written as JSON. */
  readonly value: (value: unknown, policy: ScrubPolicy) => Reply
  /**
   * A live message: the members of `head`, then `data` unless it is undefined. Both are scrubbed as `value` would.
   * Throws ScrubError as `value` does.
   */
  readonly frame: (
    head: Readonly<Record<string, unknown>>,
    data: unknown,
    policy: ScrubPolicy,
  ) => Frame
}

/** A body that cannot be scrubbed: an unusable answer of the venue, which must stay unsent. */
export class ScrubError extends Error {
  override readonly name = 'ScrubError'
}

type ScrubSettings = {
  /** The operator's additions to the lists in contract/scrub-lists.ts. */
  readonly names: readonly string[]
  /** Receives each sentence that was left out because it names the venue. */
  readonly onMention?: (prose: Prose) => void
}

/** The scrub of a deployment. */
export function createScrub({ names, onMention }: ScrubSettings): Scrub {
  const isName = createNameTest(names)
  const isMention = createMentionTest(names)
  const rules = {
    public: scrubRules({ audience: 'public' }, isName),
    private: scrubRules({ audience: 'private' }, isName),
  }

  function rulesFor(policy: ScrubPolicy): JsonRules {
    const { audience, exempt, keeps, prose } = policy
    if (prose) return proseRules(rules[audience], isMention, () => onMention?.(prose))
    return exempt || keeps ? scrubRules(policy, isName) : rules[audience]
  }
  // Built for the first long body: the patterns take milliseconds that a short command, or a first answer, does not
  // need.
  let preScan: ReturnType<typeof createPreScan> | undefined

  // A decimal has no letters, so it can be a name only when a name is all digits.
  let isDecimalName: boolean | undefined

  function showsNothing(json: string, policy: ScrubPolicy): boolean {
    preScan ??= createPreScan(names)
    return !preScan(json) && !holdsSuffixed(json, policy)
  }

  /** `seen` is the text itself, or a text with all of its letters. */
  function clean(json: string, policy: ScrubPolicy, seen = json): string {
    if (!policy.prose && json.length > SMALL_MAX_CHARS && showsNothing(seen, policy)) return json
    return rewritten(json, rulesFor(policy))
  }

  return {
    text: (json, policy) => replyOfScrubbed(clean(json, policy)),
    around: (before, rows, after, policy) => {
      const json = before + rows.text + after
      isDecimalName ??= mayBeDecimal(names)
      const seen = isDecimalName ? json : before + rows.first + after
      return replyOfScrubbed(clean(json, policy, seen))
    },
    value: (value, policy) => replyOfScrubbed(clean(toJsonText(value), policy)),
    frame: (head, data, policy) => {
      const whole = data === undefined ? head : { ...head, data }
      return frameOfScrubbed(clean(toJsonText(whole), policy))
    },
  }
}

type NameTest = (value: string) => boolean

/** Text up to here is read through at once; a pre-scan would save less than it costs. */
const SMALL_MAX_CHARS = 256

const EXEMPT: ReadonlySet<string> = new Set(EXEMPT_KEYS)
const REMOVED: ReadonlySet<string> = new Set(REMOVED_KEYS)
const REMOVED_IN_PUBLIC: ReadonlySet<string> = new Set([...REMOVED_KEYS, ...PUBLIC_REMOVED_KEYS])
const REMOVED_VALUES: ReadonlyMap<string, string> = new Map(Object.entries(REMOVED_MEMBERS))
const RENAMED: ReadonlyMap<string, string> = new Map(Object.entries(RENAMED_KEYS))

function holdsSuffixed(json: string, { audience }: ScrubPolicy): boolean {
  return audience === 'public' && VENUE_SYMBOLS.suffixedInJson.test(json)
}

function scrubRules(
  { audience, exempt = [], keeps = [] }: ScrubPolicy,
  isName: NameTest,
): JsonRules {
  const isPublic = audience === 'public'
  const exempted = new Set([...EXEMPT_KEYS, ...exempt, ...keeps])
  const removed = REMOVED.difference(new Set(keeps))
  return {
    keyOf: isPublic
      ? remembered((key) => publicKey(key, isName))
      : (key) => keyWithout(removed, key),
    removedValues: REMOVED_VALUES,
    blanks: (value, owner) => !exempted.has(owner) && isName(value),
    drops: (key, value) => isPublic && key === 'symbol' && isSuffixed(value),
    depthMax: LIMITS.scrubDepthMax,
  }
}

/** Rules that look for the venue in every sentence. */
function proseRules(rules: JsonRules, isMention: NameTest, onMention: () => void): JsonRules {
  return {
    ...rules,
    blanks: (value, owner) => {
      if (rules.blanks(value, owner)) return true
      const isNamed = !EXEMPT.has(owner) && isMention(value)
      if (isNamed && owner === 'msg') onMention()
      return isNamed
    },
    drops: (key, value) => {
      if (rules.drops(key, value)) return true
      const isNamed = key === 'message' && isMention(value)
      if (isNamed) onMention()
      return isNamed
    },
  }
}

function publicKey(key: string, isName: NameTest): string | null {
  const name = keyWithout(REMOVED_IN_PUBLIC, key)
  return name === key && isName(key) ? null : name
}

function keyWithout(removed: ReadonlySet<string>, key: string): string | null {
  return removed.has(key) ? null : (RENAMED.get(key) ?? key)
}

/** Maximum number of remembered keys. The venue's keys are few; ids that rows are keyed by push the oldest out. */
const KEYS_REMEMBERED_MAX = 2000

// Rows repeat their keys, and a lookup is faster than a comparison with every name.
function remembered<T>(judge: (key: string) => T): (key: string) => T {
  const verdicts = createBoundedMap<string, T>(KEYS_REMEMBERED_MAX)
  return (key) => {
    const known = verdicts.get(key)
    if (known !== undefined) return known
    const verdict = judge(key)
    verdicts.put(key, verdict)
    return verdict
  }
}

function rewritten(json: string, rules: JsonRules): string {
  try {
    JSON.parse(json)
    return rewriteJson(json, rules)
  } catch (cause) {
    throw new ScrubError('not JSON, or nested too deep', { cause })
  }
}

function toJsonText(value: unknown): string {
  let json: string | undefined
  try {
    json = JSON.stringify(value)
  } catch (cause) {
    throw new ScrubError('not a JSON value', { cause })
  }
  if (json === undefined) throw new ScrubError('not a JSON value')
  return json
}

/** Whether a symbol is of a market that carries a builder's suffix, which no public answer shows. */
export function isSuffixed(symbol: unknown): boolean {
  return typeof symbol === 'string' && VENUE_SYMBOLS.suffixed.test(symbol)
}

/**
 * A columnar answer (one array per field, one position per market) without the positions of builders' markets. Text
 * without such markets comes back unchanged; in other text numbers keep their own spelling.
 */
export function sharedColumns(text: string): string {
  const payload = parseExact(text, LIMITS.scrubDepthMax)
  const symbols = isObject(payload) ? payload['symbol'] : undefined
  if (!isObject(payload) || !Array.isArray(symbols) || !symbols.some(isSuffixed)) return text
  const kept = symbols.map((symbol) => !isSuffixed(symbol))
  const columns = Object.entries(payload).map(([name, column]) => [name, keep(column, kept)])
  return JSON.stringify(Object.fromEntries(columns))
}

function keep(column: unknown, kept: readonly boolean[]): unknown {
  const isColumn = Array.isArray(column) && column.length === kept.length
  return isColumn ? column.filter((_, position) => kept[position]) : column
}
