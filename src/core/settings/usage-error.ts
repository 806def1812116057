/** The reasons why the program does not start, as lines for the terminal. They name settings, never values. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly lines: readonly string[]
  constructor(...lines: readonly string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}

const TEXT_MAX_CHARS = 256

/** A name or path from outside as printable characters of limited length, for use within a line. */
export function printable(text: string): string {
  return text.slice(0, TEXT_MAX_CHARS).replace(/[^\x20-\x7e]/g, '?')
}
