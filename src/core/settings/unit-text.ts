import { printable, UsageError } from './usage-error.ts'

/** The directives of the section [Service] with their values, in order (systemd.syntax). */
export function serviceLines(text: string): readonly (readonly [key: string, value: string])[] {
  let section = ''
  return joined(text).flatMap((line) => {
    const [, name] = /^\[(.*)\]$/.exec(line) ?? []
    if (name !== undefined) section = name
    if (section !== 'Service' || !line.includes('=')) return []
    const [key, value] = inPair(line)
    return [[key.trim(), value.trim()] as const]
  })
}

/**
 * Joins continued lines: a line that ends with a backslash continues in the next; comments between them are skipped.
 */
function joined(text: string): string[] {
  const lines = text.split(/\r?\n/).filter((line) => !/^\s*[#;]/.test(line))
  return lines
    .join('\n')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.trim())
}

/** Splits a word `NAME=value` of Environment=. */
export function inPair(word: string): readonly [name: string, value: string] {
  const at = word.indexOf('=')
  return at === -1 ? [word, ''] : [word.slice(0, at), word.slice(at + 1)]
}

/** The variables of an environment file, one `NAME=value` per line. */
export function assignments(text: string): readonly (readonly [name: string, value: string])[] {
  return joined(text).flatMap((line) => {
    const [name, value] = inPair(line)
    return /^[A-Za-z_]\w*$/.test(name.trim())
      ? [[name.trim(), unquoted(value.trim())] as const]
      : []
  })
}

const WORD = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')+/g

/** The words of a value, unquoted. */
export function words(value: string): readonly string[] {
  return (value.match(WORD) ?? []).map(unquoted)
}

function unquoted(text: string): string {
  return text.replace(
    /"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|\\(.)/g,
    (_, double, single, escaped) =>
      (double ?? single ?? escaped ?? '').replace(/\\(["'\\$`])/g, '$1'),
  )
}

/** A value with its specifiers replaced. Throws UsageError for an unknown specifier. */
export function expanded(value: string, specifiers: Readonly<Record<string, string>>): string {
  return value.replace(/%(.?)/g, (specifier, letter) => {
    const text = specifiers[letter]
    if (text !== undefined) return text
    throw new UsageError(
      `${printable(specifier)} in the unit is not known here: write out what it stands for`,
    )
  })
}
