import { isObject, members, parsedJson, type Span } from '../../core/json.ts'

const DEPTH_MAX = 64

/** Thrown if an entry cannot be added to a configuration. */
export class EntryError extends Error {
  override readonly name = 'EntryError'
  /** Whether the member already exists. */
  readonly isThere: boolean
  constructor(message: string, isThere = false) {
    super(message)
    this.isThere = isThere
  }
}

/**
 * Adds the member `group.name` to a JSON text, which may have comments and trailing commas. All other characters stay
 * unchanged. An empty text becomes an object. Throws EntryError if the text or `group` is not an object, or if `name`
 * exists and `replaces` is false.
 */
export function withMember(
  text: string,
  group: string,
  name: string,
  value: object,
  replaces: boolean,
): string {
  const given = text.trim() === '' ? '{}\n' : text
  const uncommented = withBlanks(given, COMMENTS)
  const plain = withBlanks(uncommented, TRAILING_COMMAS)
  const whole = { start: plain.indexOf('{'), end: plain.lastIndexOf('}') + 1 }
  const inside = objectMembers(plain, 'the file').get(group)
  if (inside === undefined) {
    return inserted({ given, uncommented, plain }, whole, group, { [name]: value })
  }
  const servers = objectMembers(plain.slice(inside.start, inside.end), `"${group}"`)
  const existing = servers.get(name)
  if (existing && !replaces) throw new EntryError(`"${group}" has "${name}" already`, true)
  if (existing) {
    const [start, end] = [inside.start + existing.start, inside.start + existing.end]
    return given.slice(0, start) + indentedJson(given, start, value) + given.slice(end)
  }
  return inserted({ given, uncommented, plain }, inside, name, value)
}

const STRING = '"(?:[^"\\\\\\n\\r]|\\\\.)*"'
const COMMENTS = new RegExp(`${STRING}|//[^\\n\\r]*|/\\*[^]*?\\*/`, 'g')
const TRAILING_COMMAS = new RegExp(`${STRING}|,(?=\\s*[}\\]])`, 'g')

/** The text with every match outside strings replaced by spaces of the same length, so that positions stay equal. */
function withBlanks(text: string, pattern: RegExp): string {
  return text.replace(pattern, (match) =>
    match.startsWith('"') ? match : match.replace(/[^\n\r]/g, ' '),
  )
}

function objectMembers(plain: string, what: string) {
  if (!isObject(parsedJson(plain))) throw new EntryError(`${what} is not a JSON object`)
  return members(plain, DEPTH_MAX) ?? new Map()
}

/** A text in three forms of equal length: as given, without comments, and without comments and trailing commas. */
type TextForms = { readonly given: string; readonly uncommented: string; readonly plain: string }

/** Adds a member on new lines, at the end of the object between `start` and `end`. */
function inserted(forms: TextForms, { start, end }: Span, name: string, value: object): string {
  const { given, uncommented, plain } = forms
  const close = end - 1
  const valueEnd = start + plain.slice(start, close).trimEnd().length
  const lastEnd = start + given.slice(start, close).trimEnd().length
  const isEmpty = plain.slice(start + 1, close).trim() === ''
  const hasComma = uncommented.slice(valueEnd, close).includes(',')
  const { line, unit } = textStyle(given)
  const outer = indentAt(given, start)
  const shown = JSON.stringify(value, null, unit).replaceAll('\n', `${line}${outer}${unit}`)
  const member = `${line}${outer}${unit}${JSON.stringify(name)}: ${shown}`
  const isClosedBelow = given.slice(lastEnd, close).includes('\n')
  return [
    given.slice(0, valueEnd),
    isEmpty || hasComma ? '' : ',',
    given.slice(valueEnd, lastEnd),
    member,
    isClosedBelow ? '' : `${line}${outer}`,
    given.slice(isClosedBelow ? lastEnd : close),
  ].join('')
}

/** A value as JSON, indented like the line that contains the position. */
function indentedJson(given: string, position: number, value: object): string {
  const { line, unit } = textStyle(given)
  return JSON.stringify(value, null, unit).replaceAll('\n', line + indentAt(given, position))
}

/** The line ending of a text and its indentation per level. */
function textStyle(given: string) {
  return {
    line: given.includes('\r\n') ? '\r\n' : '\n',
    unit: /^([ \t]+)\S/m.exec(given)?.[1] ?? '  ',
  }
}

function indentAt(given: string, position: number): string {
  return /^[ \t]*/.exec(given.slice(given.lastIndexOf('\n', position) + 1))?.[0] ?? ''
}
