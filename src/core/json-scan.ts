/**
 * Where the parts of a JSON text begin and end, found without building anything. Every function here expects valid
 * JSON (JSON.parse has seen it) and still ends on anything else. Grammar: RFC 8259.
 */

export const QUOTE = 34
export const COMMA = 44
export const OPEN_BRACKET = 91
const BACKSLASH = 92
const CLOSE_BRACKET = 93
export const OPEN_BRACE = 123
const CLOSE_BRACE = 125

/** The first position from `at` on that is not whitespace. */
export function skipSpace(text: string, at: number): number {
  let next = at
  while (isSpace(text.charCodeAt(next))) next++
  return next
}

/** The position after the string whose opening quote is at `at`. */
export function stringEnd(text: string, at: number): number {
  let quote = text.indexOf('"', at + 1)
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1)
  return quote === -1 ? text.length : quote + 1
}

/** What the string between two positions of `stringEnd` says, escapes resolved. */
export function stringAt(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1)
  return inner.includes('\\') ? String(JSON.parse(`"${inner}"`)) : inner
}

/** The position after the number, true, false or null at `at`. */
export function scalarEnd(text: string, at: number): number {
  let next = at
  while (next < text.length && !endsScalar(text.charCodeAt(next))) next++
  return next
}

/** The position after the value at `at`. Throws RangeError when it nests deeper than `depthMax`. */
export function valueEnd(text: string, at: number, depthMax: number): number {
  const first = text.charCodeAt(at)
  if (first === QUOTE) return stringEnd(text, at)
  if (!opens(first)) return scalarEnd(text, at)
  let depth = 0
  let next = at
  do {
    const code = text.charCodeAt(next)
    if (opens(code)) depth = assertedDepth(depth + 1, depthMax)
    else if (closes(code)) depth--
    next = code === QUOTE ? stringEnd(text, next) : next + 1
  } while (depth > 0 && next < text.length)
  return next
}

/** The depth itself. Throws RangeError when it exceeds `depthMax`. */
export function assertedDepth(depth: number, depthMax: number): number {
  if (depth > depthMax) throw new RangeError('JSON is nested too deep')
  return depth
}

/** Whether a character ends an array. */
export function endsArray(code: number): boolean {
  return code === CLOSE_BRACKET
}

/** Whether a character ends an object or array. */
export function closes(code: number): boolean {
  return code === CLOSE_BRACE || code === CLOSE_BRACKET
}

/** Whether a character begins an object or array. */
export function opens(code: number): boolean {
  return code === OPEN_BRACE || code === OPEN_BRACKET
}

function endsScalar(code: number): boolean {
  return code === COMMA || closes(code) || isSpace(code)
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9
}

// Backslashes before different quotes are different ones, so this stays linear over a whole text.
function isEscaped(text: string, quote: number): boolean {
  let at = quote
  while (text.charCodeAt(at - 1) === BACKSLASH) at--
  return (quote - at) % 2 === 1
}
