import { closes, opens, QUOTE } from './json-scan.ts'

const BACKSLASH = 92

/** Takes the next bytes of a JSON text, cut anywhere; answers how deep it has nested so far. */
export type DepthGauge = (bytes: Uint8Array) => number

/** Measures how deep a JSON text nests while it comes in, before anybody parses it. */
export function createDepthGauge(): DepthGauge {
  let depth = 0
  let deepest = 0
  let inString = false
  let escaped = false

  function inside(code: number): void {
    if (escaped) escaped = false
    else if (code === BACKSLASH) escaped = true
    else if (code === QUOTE) inString = false
  }

  function outside(code: number): void {
    if (code === QUOTE) inString = true
    else if (opens(code)) {
      depth += 1
      if (depth > deepest) deepest = depth
    } else if (closes(code)) depth -= 1
  }

  return (bytes) => {
    for (let at = 0; at < bytes.length; at += 1) {
      const code = bytes[at] ?? 0
      if (inString) inside(code)
      else outside(code)
    }
    return deepest
  }
}
