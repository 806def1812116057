import { type Access, CLIENTS } from '../src/admin/account/clients.ts'
import { variableOf } from '../src/settings/sources.ts'
import { RELAY_PATHS } from '../src/spec/allowlist.ts'
import { OPERATION_GROUPS, OPERATIONS } from '../src/spec/operations.ts'
import { ROUTES } from '../src/spec/routes.ts'
import { AGENT_SETTINGS, SETTING_ROWS, type Setting } from '../src/spec/settings.ts'
import { isStreamName, STREAMS, topicTemplate } from '../src/spec/stream/topics.ts'

/** The parts of the README that are written from the tables, by the name of their marks. */
export const REGIONS: Readonly<Record<string, () => string>> = {
  settings: settingsRegion,
  surface: surfaceRegion,
  streams: streamsRegion,
  clients: clientsRegion,
}

/**
 * A text with each region between `<!-- name -->` and `<!-- /name -->` written anew. Throws when a region is missing:
 * a mark that was deleted by accident would otherwise go unnoticed.
 */
export function withRegions(text: string): string {
  return Object.entries(REGIONS).reduce(
    (result, [name, render]) => withRegion(result, name, render()),
    text,
  )
}

function withRegion(text: string, name: string, content: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const start = text.indexOf(open)
  const end = text.indexOf(close, start)
  if (start === -1 || end === -1) throw new Error(`README.md has no region ${open} … ${close}`)
  return `${text.slice(0, start + open.length)}\n${content}\n${text.slice(end)}`
}

const ANY_ACCESS: Access = {
  executable: '/path/to/prepd',
  variables: [['SERVICE_API_URL', 'https://your.host']],
  http: { url: 'https://your.host', accountId: '0x…', tradingKey: '…' },
}

function clientsRegion(): string {
  const rows = CLIENTS.map(({ client, line }) => [client, `\`${line(ANY_ACCESS)}\``])
  return table(['Client', 'How'], rows)
}

function settingsRegion(): string {
  const rows = SETTING_ROWS.map((row) => ({ ...row, name: variableOf(row.name) }))
  const agent = Object.entries<Setting>(AGENT_SETTINGS).map(([name, row]) => ({ name, ...row }))
  return table(['Setting', 'Default', 'Meaning'], [...rows, ...agent].map(settingCells))
}

function settingCells({
  name,
  default: fallback,
  meaning,
  secret,
}: Setting & { name: string }): string[] {
  const value = typeof fallback === 'string' ? `\`${fallback}\`` : fallback.absent
  return [`\`${name}\``, value, secret ? `${meaning} Secret, or \`${name}_FILE\`.` : meaning]
}

function surfaceRegion(): string {
  const routes = Object.values(ROUTES).map(({ method, path, summary }) => [
    `\`${method} ${path}\``,
    summary,
  ])
  const reads = OPERATION_GROUPS.map((group) => [
    group,
    Object.entries(OPERATIONS)
      .filter(([, operation]) => operation.group === group)
      .map(([id]) => `\`${id}\``)
      .join(' '),
  ])
  const families = [...new Set(RELAY_PATHS.map(({ family }) => family))]
  const relayed = families.map((family) => [
    family,
    RELAY_PATHS.filter((row) => row.family === family)
      .map(({ methods, path }) => `\`${methods.join(' ')} ${path}\``)
      .join(', '),
  ])
  return [
    table(['Route', 'Answer'], routes),
    table(
      ['Group', `\`GET /api/prep/op/{id}\`: ${Object.keys(OPERATIONS).length} operations`],
      reads,
    ),
    table(['Family', `\`POST /api/prep/relay\`: ${RELAY_PATHS.length} paths`], relayed),
  ].join('\n\n')
}

function streamsRegion(): string {
  const rows = Object.keys(STREAMS)
    .filter(isStreamName)
    .map((name) => {
      const { summary, kind, beatMs, reads } = STREAMS[name]
      const beat = beatMs === 0 ? 'at once' : `${beatMs / 1000} s`
      return [`\`${topicTemplate(name)}\``, kind, beat, summary, `\`${reads.join(' ')}\``]
    })
  return table(['Topic', 'Kind', 'Beat', 'What', 'Fields of'], rows)
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}
