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
  /** `public` additionally removes `broker_ids`, keys that are names, and rows of builders' markets (symbols with a suffix). */
  readonly audience: 'public' | 'private'
  /** Additional keys whose strings are never blanked, such as `name` in token rows. */
  readonly exempt?: readonly string[]
  /** Keys to keep although a rule removes them. Messages that a wallet has to sign unchanged need such keys. */
  readonly keeps?: readonly string[]
  /**
   * Set for answers with sentences. A row whose `message` names the venue is removed, and any other sentence that names
   * the venue becomes empty.
   */
  readonly prose?: Prose
}

/** Kinds of answers that contain sentences of the venue. */
export const PROSE = ['announcements', 'status'] as const

export type Prose = (typeof PROSE)[number]

/** Scrubs everything that is sent to callers. Only the scrub can make replies and frames. */
export type Scrub = {
  /**
   * Scrubs valid JSON text. Text that needs no change is returned byte for byte, without being parsed; otherwise only
   * removed, renamed or blanked parts change. Throws ScrubError if a text that may need changes is not JSON or is
   * nested deeper than LIMITS.scrubDepthMax.
   */
  readonly text: (json: string, policy: ScrubPolicy) => Reply
  /** Scrubs a text with scanned rows inside. The values of these rows need no further check. */
  readonly around: (before: string, rows: DecimalRows, after: string, policy: ScrubPolicy) => Reply
  /** Scrubs a value built here or by `parseExact`. Throws ScrubError when it cannot be written as JSON. */
  readonly value: (value: unknown, policy: ScrubPolicy) => Reply
  /**
   * Makes a live message with the members of `head`, followed by `data` if it is defined. Scrubs, and throws
   * ScrubError, as `value` does.
   */
  readonly frame: (
    head: Readonly<Record<string, unknown>>,
    data: unknown,
    policy: ScrubPolicy,
  ) => Frame
}

/** A body that cannot be scrubbed. Such a body must stay unsent. */
export class ScrubError extends Error {
  override readonly name = 'ScrubError'
}

type ScrubSettings = {
  /** The operator's additions to the lists in contract/scrub-lists.ts. */
  readonly names: readonly string[]
  /** Called for each sentence that was removed because it names the venue. */
  readonly onMention?: (prose: Prose) => void
}

/** Creates the scrub of a deployment. */
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
  // Built lazily for the first long body, because building the patterns takes milliseconds.
  let preScan: ReturnType<typeof createPreScan> | undefined

  // Whether a name consists of digits only, so that a decimal could be a name.
  let isDecimalName: boolean | undefined

  function showsNothing(json: string, policy: ScrubPolicy): boolean {
    preScan ??= createPreScan(names)
    return !preScan(json) && !holdsSuffixed(json, policy)
  }

  /** `seen`: the text to pre-scan, which contains all letters of `json`. */
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

/** Text up to this length is rewritten without a pre-scan, which would cost more than it saves. */
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
      ? memoizedByKey((key) => publicKey(key, isName))
      : (key) => keyWithout(removed, key),
    removedValues: REMOVED_VALUES,
    blanks: (value, owner) => !exempted.has(owner) && isName(value),
    drops: (key, value) => isPublic && key === 'symbol' && isSuffixed(value),
    depthMax: LIMITS.scrubDepthMax,
  }
}

/** Rules that also remove sentences that name the venue. */
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

/** Maximum number of remembered keys. The venue has few keys, but ids used as keys could be many; the oldest are evicted. */
const KEYS_REMEMBERED_MAX = 2000

// Remembers the result per key: rows repeat their keys, and a lookup is faster than comparing with every name.
function memoizedByKey<T>(judge: (key: string) => T): (key: string) => T {
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

/** Whether a symbol has a builder's suffix. Public answers never show such markets. */
export function isSuffixed(symbol: unknown): boolean {
  return typeof symbol === 'string' && VENUE_SYMBOLS.suffixed.test(symbol)
}

/**
 * Removes builders' markets from a columnar answer (one array per field, one index per market). Text without such
 * markets is returned unchanged; otherwise numbers keep their digits as sent.
 */
export function sharedColumns(text: string): string {
  const payload = parseExact(text, LIMITS.scrubDepthMax)
  const symbols = isObject(payload) ? payload['symbol'] : undefined
  if (!isObject(payload) || !Array.isArray(symbols) || !symbols.some(isSuffixed)) return text
  const kept = symbols.map((symbol) => !isSuffixed(symbol))
  const columns = Object.entries(payload).map(([name, column]) => [name, keptColumn(column, kept)])
  return JSON.stringify(Object.fromEntries(columns))
}

function keptColumn(column: unknown, kept: readonly boolean[]): unknown {
  const isColumn = Array.isArray(column) && column.length === kept.length
  return isColumn ? column.filter((_, position) => kept[position]) : column
}
