import { closes, opens, QUOTE } from './json-scan.ts'

const BACKSLASH = 92

/** Takes the next bytes of a JSON text, cut anywhere; answers how deep it has nested so far. */
export type DepthGauge = (bytes: Uint8Array) => number

const QUOTES = 1
const OPENS = 2
const CLOSES = 3
/** What a byte outside of strings does: one look-up, since bodies of megabytes pass here byte by byte. */
const ACTS = Uint8Array.from({ length: 256 }, (_, code) => actOf(code))

function actOf(code: number): number {
  if (opens(code)) return OPENS
  if (closes(code)) return CLOSES
  return code === QUOTE ? QUOTES : 0
}

type Gauged = { depth: number; deepest: number; inString: boolean; escaped: boolean }

/** Measures how deep a JSON text nests while it comes in, before anybody parses it. */
export function createDepthGauge(): DepthGauge {
  const gauged: Gauged = { depth: 0, deepest: 0, inString: false, escaped: false }
  return (bytes) => {
    if (bytes.length > 0) take(gauged, bytes)
    return gauged.deepest
  }
}

// Local variables, because those of an object are written to memory with every byte.
function take(gauged: Gauged, bytes: Uint8Array): void {
  let { depth, deepest } = gauged
  let at = gauged.inString ? closing(gauged, bytes, gauged.escaped ? 1 : 0) + 1 : 0
  for (; at < bytes.length; at += 1) {
    const act = ACTS[bytes[at] ?? 0]
    if (act === QUOTES) at = closing(gauged, bytes, at + 1)
    else if (act === CLOSES) depth -= 1
    else if (act === OPENS) deepest = Math.max(deepest, ++depth)
  }
  gauged.depth = depth
  gauged.deepest = deepest
}

/** Where the quote stands that ends a string; past the last byte where that is still to come. */
function closing(gauged: Gauged, bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  gauged.inString = at >= bytes.length
  gauged.escaped = at > bytes.length
  return at
}
