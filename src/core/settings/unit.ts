import { reportUnexpected } from '../loop/guarded.ts'
import { type Files, readTextFile } from './files.ts'
import type { Environment } from './sources.ts'
import { printable, UsageError } from './usage-error.ts'

/** The server's inputs from a systemd unit. */
export type Unit = {
  /** The words of ExecStart after the executable. */
  readonly argv: readonly string[]
  readonly env: Environment
  /** The disk, with the unit's credentials below CREDENTIALS_DIRECTORY. */
  readonly files: Files
  /** The files that were read, in order: the unit, its drop-ins, environment files, credentials. */
  readonly read: readonly string[]
  /** One sentence per line of the unit whose contents only systemd can decrypt. */
  readonly unread: readonly string[]
  /** Whether a path below CREDENTIALS_DIRECTORY is a credential that only systemd can decrypt. */
  readonly isEncrypted: (path: string) => boolean
}

/** The folders of systemd units, in order of precedence (systemd.unit). */
const UNIT_FOLDERS = ['/etc', '/run', '/usr/local/lib', '/usr/lib', '/lib'].map(
  (root) => `${root}/systemd/system`,
)
/** The folders of credentials that LoadCredential names without a path (systemd.exec). */
const CREDENTIAL_STORES = ['/etc/credstore', '/run/credstore', '/usr/lib/credstore']
const CREDENTIALS = '/run/credentials/of-the-unit'
const ENCRYPTED = /^(?:Load|Set)CredentialEncrypted$|^ImportCredential$/

/**
 * Reads a unit as systemd does. `name` is a path, or the name of an installed unit such as `prepd.service`. Its
 * drop-ins are included. Throws UsageError for a missing or unreadable unit, environment file or credential.
 */
export function readUnit(files: Files, name: string): Unit {
  const path = unitPath(files, name)
  const sources = [path, ...dropIns(files, path)]
  const lines = sources.flatMap((source) => serviceLines(readRequiredText(files, source)))
  const specifiers = specifiersFor(path)
  const values = (directive: string) =>
    directiveValues(lines, directive).map((value) => expanded(value, specifiers))
  const environmentFiles = values('EnvironmentFile').flatMap((value) =>
    environmentFile(files, value),
  )
  const credentials = new Map(values('LoadCredential').flatMap((value) => credential(files, value)))
  const inline = values('Environment').flatMap(words).map(splitAssignment)
  const given = [...inline, ...environmentFiles.flatMap(({ text }) => assignments(text))]
  const unset = new Set(values('UnsetEnvironment').flatMap(words))
  const kept = given.filter(([key, value]) => !unset.has(key) && !unset.has(`${key}=${value}`))
  const unopened = lines
    .filter(([key]) => ENCRYPTED.test(key))
    .map(([key, value]) =>
      encryptedCredential(key, expanded(value.split(':')[0] ?? '', specifiers)),
    )
  const copies = new Set([...credentials.keys()].map(credentialPath))
  const isEncrypted = (path: string) => !copies.has(path) && unopened.some(({ isOf }) => isOf(path))
  const open = kept.filter(([key, value]) => !isEncryptedSecret(isEncrypted, key, value))
  const env = withSources(Object.fromEntries(open), credentials)
  const [executable, ...argv] = words(values('ExecStart').at(-1) ?? '')
  if (executable === undefined)
    throw new UsageError(`${printable(path)} has no ExecStart: it is no unit of prepd`)
  return {
    argv: argv.map((word) => word.replace(/\$\{(\w+)\}/g, (_, key) => env[key] ?? '')),
    env: { ...env, CREDENTIALS_DIRECTORY: CREDENTIALS },
    files: withCredentials(files, credentials),
    read: [...sources, ...environmentFiles.map((file) => file.path), ...credentials.values()],
    unread: unopened.map(({ key, id, isOf }) => {
      const names = kept
        .filter(([name, value]) => isEncryptedSecret(isEncrypted, name, value) && isOf(value))
        .map(([name]) => name)
      const without = names.length > 0 ? `, so ${names.join(', ')} is left out` : ''
      return `${key}=${printable(id)} was not read: only systemd can open it${without}`
    }),
    isEncrypted,
  }
}

/** A directive of encrypted credentials. `id` is a name, or a glob of ImportCredential (systemd.exec). */
function encryptedCredential(key: string, id: string) {
  const glob = new Bun.Glob(credentialPath(id))
  return { key, id, isOf: (path: string) => glob.match(path) }
}

function credentialPath(id: string): string {
  return `${CREDENTIALS}/${id}`
}

/** Whether a `_FILE` variable names an encrypted credential. */
function isEncryptedSecret(isEncrypted: Unit['isEncrypted'], name: string, value: string): boolean {
  return name.endsWith('_FILE') && isEncrypted(value)
}

/** The path of an installed unit; null without one of this name. */
export function installedUnit(files: Files, name: string): string | null {
  return UNIT_FOLDERS.map((place) => `${place}/${name}`).find((path) => files.stat(path)) ?? null
}

function unitPath(files: Files, name: string): string {
  if (name.includes('/')) return name
  const path = installedUnit(files, name)
  if (path !== null) return path
  throw new UsageError(
    `--unit ${printable(name)} is in no folder of systemd: name its file, such as ./${printable(name)}`,
  )
}

/** The drop-ins of a unit, by name. The first folder with a name overrides the others. */
function dropIns(files: Files, path: string): readonly string[] {
  const at = path.lastIndexOf('/')
  const [folder, name] = [path.slice(0, at), path.slice(at + 1)]
  const folders = [...new Set(UNIT_FOLDERS.includes(folder) ? UNIT_FOLDERS : [folder])]
  const found = new Map<string, string>()
  for (const place of folders) {
    for (const file of files.list(`${place}/${name}.d`).filter((entry) => entry.endsWith('.conf')))
      if (!found.has(file)) found.set(file, `${place}/${name}.d/${file}`)
  }
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, file]) => file)
}

/** The values of a directive; an empty value clears the earlier values. */
function directiveValues(
  lines: ReturnType<typeof serviceLines>,
  directive: string,
): readonly string[] {
  const values = lines.filter(([key]) => key === directive).map(([, value]) => value)
  return values.slice(values.lastIndexOf('') + 1)
}

/** The specifiers of a system unit for folders and for the unit's name, each with its value. */
function specifiersFor(path: string): Readonly<Record<string, string>> {
  const unit = path.slice(path.lastIndexOf('/') + 1)
  const name = unit.replace(/\.service$/, '')
  const folders = { S: '/var/lib', C: '/var/cache', L: '/var/log', E: '/etc', t: '/run' }
  return { ...folders, d: CREDENTIALS, n: unit, N: name, p: name, '%': '%' }
}

function environmentFile(files: Files, value: string) {
  const path = value.replace(/^-/, '')
  if (value.startsWith('-') && statPath(files, path) === null) return []
  return [{ path, text: readRequiredText(files, path) }]
}

/** A credential and its source file; empty if systemd would pass no credential. */
function credential(files: Files, value: string): readonly (readonly [id: string, path: string])[] {
  const [id = '', ...rest] = value.split(':')
  const given = rest.join(':')
  if (given.startsWith('/')) {
    if (statPath(files, given) === null)
      throw new UsageError(`LoadCredential=${printable(value)}: the file does not exist`)
    return [[id, given]]
  }
  const stored = CREDENTIAL_STORES.map((store) => `${store}/${given || id}`)
  const path = stored.find((each) => statPath(files, each) !== null)
  return path === undefined ? [] : [[id, path]]
}

/** The variables, with each credential's path replaced by the path of its source file. */
function withSources(env: Record<string, string>, credentials: ReadonlyMap<string, string>) {
  const prefix = `${CREDENTIALS}/`
  return Object.fromEntries(
    Object.entries(env).map(([key, value]) => [
      key,
      (value.startsWith(prefix) && credentials.get(value.slice(prefix.length))) || value,
    ]),
  )
}

function withCredentials(files: Files, credentials: ReadonlyMap<string, string>): Files {
  const isCopy = (path: string) => path.startsWith(`${CREDENTIALS}/`)
  const source = (path: string) => credentials.get(path.slice(CREDENTIALS.length + 1))
  return {
    ...files,
    stat: (path) =>
      isCopy(path) && source(path) === undefined ? null : files.stat(source(path) ?? path),
    read: (path, maxBytes) => files.read((isCopy(path) && source(path)) || path, maxBytes),
  }
}

/** The `stat` of a path. Throws UsageError if the folder may not be read. */
function statPath(files: Files, path: string) {
  try {
    return files.stat(path)
  } catch (error) {
    reportUnexpected('process', error, 'system')
    throw new UsageError(`${printable(path)} cannot be looked at: run this as root`)
  }
}

function readRequiredText(files: Files, path: string): string {
  const text = statPath(files, path) && readTextFile(files, path)
  if (text !== null) return text
  throw new UsageError(`${printable(path)} of --unit cannot be read, or is larger than 1 MiB`)
}

/** The directives of the section [Service] with their values, in order (systemd.syntax). */
function serviceLines(text: string): readonly (readonly [key: string, value: string])[] {
  let section = ''
  return logicalLines(text).flatMap((line) => {
    const [, name] = /^\[(.*)\]$/.exec(line) ?? []
    if (name !== undefined) section = name
    if (section !== 'Service' || !line.includes('=')) return []
    const [key, value] = splitAssignment(line)
    return [[key.trim(), value.trim()] as const]
  })
}

/** Joins continued lines: a line that ends with a backslash continues on the next line that is not a comment. */
function logicalLines(text: string): string[] {
  const lines = text.split(/\r?\n/).filter((line) => !/^\s*[#;]/.test(line))
  return lines
    .join('\n')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .map((line) => line.trim())
}

/** Splits a word `NAME=value` of Environment=. */
function splitAssignment(word: string): readonly [name: string, value: string] {
  const at = word.indexOf('=')
  return at === -1 ? [word, ''] : [word.slice(0, at), word.slice(at + 1)]
}

/** The variables of an environment file, one `NAME=value` per line. */
function assignments(text: string): readonly (readonly [name: string, value: string])[] {
  return logicalLines(text).flatMap((line) => {
    const [name, value] = splitAssignment(line)
    return /^[A-Za-z_]\w*$/.test(name.trim())
      ? [[name.trim(), unquoted(value.trim())] as const]
      : []
  })
}

const WORD = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')+/g

/** The words of a value, without quotes. */
function words(value: string): readonly string[] {
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
function expanded(value: string, specifiers: Readonly<Record<string, string>>): string {
  return value.replace(/%(.?)/g, (specifier, letter) => {
    const text = specifiers[letter]
    if (text !== undefined) return text
    throw new UsageError(
      `${printable(specifier)} in the unit is not known here: write out what it stands for`,
    )
  })
}
