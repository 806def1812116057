import type { TObject } from '@sinclair/typebox'
import {
  AMBIGUOUS_MEANINGS,
  type ArgumentMeaning,
  CONVERSIONS,
  correctSpelling,
  plainWord,
  wordMeanings,
} from './argument-words.ts'
import { invalidArgument, type Meta } from './refusal.ts'
import type { ToolFailure } from './tool.ts'

/** A tool's advice for arguments that it does not have. */
export type Advice = {
  readonly tool: string
  /** Ends the sentence "without it, this call", for a write's narrowing argument. Absent if the tool only reads. */
  readonly effect?: string
  /** Per meaning, a sentence that names the argument or tool that expresses it. */
  readonly otherWays?: Readonly<Partial<Record<ArgumentMeaning, string>>>
}

type Unknown = {
  readonly schema: TObject
  readonly given: ReadonlyMap<string, unknown>
  readonly name: string
  readonly advice: Advice
}

const ECHO_MAX_CHARS = 64

/**
 * The refusal of an argument that the tool does not have. The advice of the refusal never widens the call. `rename_to`
 * names the argument that takes the same value; `suggested` has the arguments with the value converted. If neither
 * exists, `next` names an alternative, or the effect of the call without the argument.
 */
export function unknownArgument(unknown: Unknown): ToolFailure {
  const { schema, name } = unknown
  return invalidArgument(name.slice(0, ECHO_MAX_CHARS), 'unknown_argument', {
    ...adviceMeta(unknown),
    allowed: Object.keys(schema.properties),
  })
}

function adviceMeta(unknown: Unknown): Meta & { readonly next: string } {
  const { schema, given, name } = unknown
  const names = Object.keys(schema.properties)
  const word = correctSpelling(name, names) ?? name
  const exact = names.find((argument) => plainWord(argument) === plainWord(word))
  const meanings = exact === undefined ? wordMeanings(word) : []
  const taken = exact ?? onlyArgument(unknown, meanings)
  if (taken === undefined)
    return converted(unknown, meanings) ?? { next: stepFor(unknown, meanings) }
  if (given.has(taken)) return { next: `${taken} is given too: send only the one that is meant.` }
  if (Array.isArray(given.get(name)))
    return { next: `${taken} takes one value: call once for each.` }
  return { rename_to: taken, next: `Call it ${taken}.` }
}

/**
 * The argument that matches the meanings. Undefined if no argument matches, if several arguments match, if a meaning is
 * unclear, or if the tool's advice names an alternative.
 */
function onlyArgument(
  { schema, advice }: Unknown,
  meanings: readonly ArgumentMeaning[],
): string | undefined {
  const [only, another] = meanings.flatMap((meaning) => argumentsWith(schema, meaning))
  const hasOtherWay = meanings.some((meaning) => advice.otherWays?.[meaning] !== undefined)
  const isUnclear = meanings.some((meaning) => AMBIGUOUS_MEANINGS[meaning] !== undefined)
  return another === undefined && !hasOtherWay && !isUnclear ? only : undefined
}

function argumentsWith(schema: TObject, meaning: ArgumentMeaning): readonly string[] {
  return Object.keys(schema.properties).filter((name) => wordMeanings(name).includes(meaning))
}

/** The arguments with the value converted to the tool's unit; null if no conversion is certain. */
function converted({ schema, given, name }: Unknown, meanings: readonly ArgumentMeaning[]) {
  for (const { from, to, value } of CONVERSIONS) {
    const [argument] = meanings.includes(from) ? argumentsWith(schema, to) : []
    const amount = value(given.get(name))
    if (argument === undefined || amount === null || given.has(argument)) continue
    const { [name]: _, ...others } = Object.fromEntries(given)
    return {
      suggested: { ...others, [argument]: amount },
      next: `Send suggested: ${argument} is in another unit.`,
    }
  }
  return null
}

function stepFor({ schema, name, advice }: Unknown, meanings: readonly ArgumentMeaning[]): string {
  const { effect, otherWays = {}, tool } = advice
  const places = meanings.flatMap((meaning) => otherWays[meaning] ?? [])
  const choices = meanings.flatMap((meaning) => [meaning, ...(AMBIGUOUS_MEANINGS[meaning] ?? [])])
  const own = [...new Set(choices.flatMap((meaning) => argumentsWith(schema, meaning)))]
  const named = own.map(
    (argument) => `${argument} (${schema.properties[argument]?.description ?? ''})`,
  )
  const ways = [
    ...(named.length > 0 ? [`Take ${named.join(' or ')}, as it is meant.`] : []),
    ...places,
  ]
  if (ways.length > 0) return `${effect === undefined ? '' : 'Nothing was sent. '}${ways.join(' ')}`
  if (effect === undefined)
    return `${tool} has no such argument; without it, the answer is not narrowed by it.`
  return PROTECTIVE.test(name)
    ? NO_STOP_HERE
    : `Nothing was sent. ${tool} has no such argument; without it, this call ${effect}. Ask the user whether that is meant.`
}

/** Names of arguments that limit a loss. Without such an argument, the order would differ from the intended order. */
const PROTECTIVE =
  /stop|trigger|trailing|callback|(?:take|limit)_?(?:profit|loss)|(?:^|_)(?:tp|sl)(?:_|$)|algo/i

const NO_STOP_HERE =
  'Nothing was sent. The order holds no stop-loss or take-profit. Ask the user before you go on without one. set_position_tp_sl sets it when the position is open, if the venue has such orders.'
