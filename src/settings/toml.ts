/** A text that is not TOML: the line on which the broken statement begins. */
export class TomlError extends Error {
  override readonly name = 'TomlError'
  readonly line: number
  constructor(line: number) {
    super(`line ${line} is not TOML`)
    this.line = line
  }
}

/** The top-level keys of a TOML text. Throws TomlError, whose message never quotes the text: it may hold a secret. */
export function readToml(text: string): Readonly<Record<string, unknown>> {
  const parsed = parse(text)
  if (parsed === null) throw new TomlError(brokenLine(text.split('\n')))
  return parsed
}

function parse(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return { ...Bun.TOML.parse(text) }
  } catch {
    return null
  }
}

/** The parser names no line, so the longest part that still parses says where the trouble begins. */
function brokenLine(lines: readonly string[]): number {
  const good = lines.findLastIndex((_, at) => parse(lines.slice(0, at + 1).join('\n')) !== null)
  return good + 2
}
