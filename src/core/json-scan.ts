/**
 * These functions find where the parts of a JSON text start and end, without building values (RFC 8259). They expect
 * valid JSON, already parsed by JSON.parse, and terminate on any input.
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

/** The decoded string between its opening quote at `start` and `end`, as `stringEnd` returns it. */
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

/** The position after the value at `at`. Throws RangeError if the value nests deeper than `depthMax`. */
export function valueEnd(text: string, at: number, depthMax: number): number {
  const first = text.charCodeAt(at)
  if (first === QUOTE) return stringEnd(text, at)
  if (!isOpeningBracket(first)) return scalarEnd(text, at)
  let depth = 0
  let next = at
  do {
    const code = text.charCodeAt(next)
    if (isOpeningBracket(code)) depth = assertedDepth(depth + 1, depthMax)
    else if (isClosingBracket(code)) depth--
    next = code === QUOTE ? stringEnd(text, next) : next + 1
  } while (depth > 0 && next < text.length)
  return next
}

/** Returns the depth. Throws RangeError if it exceeds `depthMax`. */
export function assertedDepth(depth: number, depthMax: number): number {
  if (depth > depthMax) throw new RangeError('JSON is nested too deep')
  return depth
}

/** Whether a character ends an array. */
export function endsArray(code: number): boolean {
  return code === CLOSE_BRACKET
}

/** Whether a character ends an object or array. */
export function isClosingBracket(code: number): boolean {
  return code === CLOSE_BRACE || code === CLOSE_BRACKET
}

/** Whether a character begins an object or array. */
function isOpeningBracket(code: number): boolean {
  return code === OPEN_BRACE || code === OPEN_BRACKET
}

function endsScalar(code: number): boolean {
  return code === COMMA || isClosingBracket(code) || isSpace(code)
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9
}

// Each backslash precedes only one quote, so the time over a whole text stays linear.
function isEscaped(text: string, quote: number): boolean {
  let at = quote
  while (text.charCodeAt(at - 1) === BACKSLASH) at--
  return (quote - at) % 2 === 1
}

/** Takes the next bytes of a JSON text, split at any point. Returns the maximum nesting depth so far. */
type DepthGauge = (bytes: Uint8Array) => number

const QUOTES = 1
const OPENS = 2
const CLOSES = 3
/** The effect of a byte outside strings. A look-up table, because bodies of megabytes are scanned byte by byte. */
const BYTE_EFFECTS = Uint8Array.from({ length: 256 }, (_, code) => byteEffect(code))

function byteEffect(code: number): number {
  if (isOpeningBracket(code)) return OPENS
  if (isClosingBracket(code)) return CLOSES
  return code === QUOTE ? QUOTES : 0
}

type Gauged = { depth: number; deepest: number; inString: boolean; escaped: boolean }

/** Measures the nesting depth of a JSON text while it arrives, before it is parsed. */
export function createDepthGauge(): DepthGauge {
  const gauged: Gauged = { depth: 0, deepest: 0, inString: false, escaped: false }
  return (bytes) => {
    if (bytes.length > 0) scanBytes(gauged, bytes)
    return gauged.deepest
  }
}

// Uses local variables, because fields of an object would be written to memory for every byte.
function scanBytes(gauged: Gauged, bytes: Uint8Array): void {
  let { depth, deepest } = gauged
  let at = gauged.inString ? closingQuote(gauged, bytes, gauged.escaped ? 1 : 0) + 1 : 0
  for (; at < bytes.length; at += 1) {
    const act = BYTE_EFFECTS[bytes[at] ?? 0]
    if (act === QUOTES) at = closingQuote(gauged, bytes, at + 1)
    else if (act === CLOSES) depth -= 1
    else if (act === OPENS) deepest = Math.max(deepest, ++depth)
  }
  gauged.depth = depth
  gauged.deepest = deepest
}

/** The position of the quote that ends a string. If the quote has not arrived yet, the position after the last byte. */
function closingQuote(gauged: Gauged, bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  gauged.inString = at >= bytes.length
  gauged.escaped = at > bytes.length
  return at
}
