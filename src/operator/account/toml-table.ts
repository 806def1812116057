import { isObject } from '../../core/json.ts'
import { EntryError } from './jsonc.ts'

/**
 * Appends the table `[group.name]` to a TOML text; other lines stay unchanged. With `replaces`, an existing table of
 * that name is removed first. `value` has texts, lists of texts and one level of tables of texts. Throws EntryError for
 * invalid TOML, an existing table, or a form that cannot be replaced.
 */
export function withTomlTable(
  text: string,
  group: string,
  name: string,
  value: object,
  replaces: boolean,
): string {
  const before = parsed(text)
  if (before === null) throw new EntryError('the file is not TOML')
  const servers = before[group]
  const isThere = isObject(servers) && Object.hasOwn(servers, name)
  if (isThere && !replaces) throw new EntryError(`"${group}" has "${name}" already`, true)
  const kept = isThere ? withoutTable(text, group, name) : text
  const line = text.includes('\r\n') ? '\r\n' : '\n'
  const start = kept.trim() === '' ? '' : `${kept.trimEnd()}${line}${line}`
  const after = start + tableLines(`${group}.${name}`, value).join(line) + line
  const wanted = { ...before, [group]: { ...(isObject(servers) ? servers : {}), [name]: value } }
  // An inline group, or the table in another spelling, would change more of the document, so the result is compared.
  if (!Bun.deepEquals(parsed(after), wanted, true))
    throw new EntryError(`"${group}.${name}" cannot be written: add or remove it by hand`)
  return after
}

/** The parsed document; null for invalid TOML. */
function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return { ...Bun.TOML.parse(text) }
  } catch (error) {
    if (error instanceof Error) return null
    throw error
  }
}

const HEADER = /^\s*\[\[?([^\]]*)\]/

/** The text without the lines of a table and of its sub-tables. */
function withoutTable(text: string, group: string, name: string): string {
  let isInside = false
  return text
    .split(/(?<=\n)/)
    .filter((line) => {
      const header = HEADER.exec(line)?.[1]
      if (header !== undefined) {
        const [first, second] = header.split('.').map((part) => part.trim().replaceAll(/["']/g, ''))
        isInside = first === group && second === name
      }
      return !isInside
    })
    .join('')
}

function tableLines(path: string, value: object): readonly string[] {
  const members = Object.entries(value)
  const plain = members.filter(([, member]) => !isObject(member))
  const tables = members.filter(([, member]) => isObject(member))
  return [
    `[${path}]`,
    // JSON strings and lists of JSON strings are valid TOML (TOML 1.0, Basic strings, Arrays).
    ...plain.map(([name, member]) => `${name} = ${JSON.stringify(member)}`),
    ...tables.flatMap(([name, member]) => ['', ...tableLines(`${path}.${name}`, Object(member))]),
  ]
}
