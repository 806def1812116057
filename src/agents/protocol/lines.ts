import { reportUnexpected } from '../../core/loop/guarded.ts'

const NEWLINE = 0x0a

/** A line as text, or the reason why it cannot be read. */
export type InputLine = { readonly text: string } | { readonly fault: 'too long' | 'not UTF-8' }

/**
 * The lines of a byte stream, without their newline. A line longer than `maxBytes` is dropped and reported as a fault.
 * A last line need not end with a newline.
 */
export async function* readLines(
  input: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<InputLine> {
  let parts: Uint8Array[] = []
  let lengthBytes = 0
  function keep(part: Uint8Array): void {
    lengthBytes += part.length
    if (lengthBytes <= maxBytes) parts.push(part)
    else parts = []
  }
  function take(): InputLine {
    const line = lengthBytes > maxBytes ? { fault: 'too long' as const } : decoded(parts)
    parts = []
    lengthBytes = 0
    return line
  }
  for await (const chunk of input) {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      keep(chunk.subarray(start, end))
      yield take()
      start = end + 1
    }
    if (start < chunk.length) keep(chunk.subarray(start))
  }
  if (lengthBytes > 0) yield take()
}

function decoded(parts: readonly Uint8Array[]): InputLine {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts)) }
  } catch (error) {
    reportUnexpected('mcp', error, TypeError)
    return { fault: 'not UTF-8' }
  }
}
