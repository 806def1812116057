import { isObject } from '../core/json.ts'

const NAME_MAX_CHARS = 64
const PROSE_MAX_CHARS = 500
const DEPTH_MAX = 32

/** The member that marks answers with third parties' text. */
export const UNTRUSTED = { untrusted_text: true } as const

/** Keys whose values are names. Names have a lower maximum length than prose. */
// biome-ignore format: read as a list
const NAMES: ReadonlySet<string> = new Set([
  'name', 'symbol', 'display_symbol_name', 'display_name', 'vault_name', 'campaign_name', 'order_tag',
  'client_order_id', 'referral_code', 'code', 'title',
])

/** The text as one line of at most `maxChars`, without control, direction, invisible and terminal escape characters. */
function cleanText(text: string, maxChars: number): string {
  return text.length <= maxChars && CLEAN_TEXT.test(text) ? text : cleanedText(text, maxChars)
}

/** Fast path: printable ASCII words with single spaces are already clean. */
const CLEAN_TEXT = /^[!-~]+(?: [!-~]+)*$/

function cleanedText(text: string, maxChars: number): string {
  const line = text.replace(TERMINAL, '').replace(BREAKS, ' ').replace(INVISIBLE_CHARACTERS, '')
  return line.replace(/ {2,}/g, ' ').trim().slice(0, maxChars).toWellFormed()
}

/** A payload with every string cleaned by `cleanText`. */
export function cleanedPayload(value: unknown, key = '', depth = 0): unknown {
  if (typeof value === 'string')
    return cleanText(value, NAMES.has(key) ? NAME_MAX_CHARS : PROSE_MAX_CHARS)
  if (depth >= DEPTH_MAX) return typeof value === 'object' ? null : value
  if (Array.isArray(value)) return value.map((item) => cleanedPayload(item, key, depth + 1))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      cleanText(name, NAME_MAX_CHARS),
      cleanedPayload(item, name, depth + 1),
    ]),
  )
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences of terminals begin with one
const TERMINAL = /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?/g
const BREAKS = /[^\S\ufeff]+/g
// Control, format (direction, zero-width, tag), private-use and unassigned characters.
const INVISIBLE_CHARACTERS = /\p{C}|\u115f|\u1160|\u3164|\uffa0/gu
