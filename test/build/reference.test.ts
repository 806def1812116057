import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { ROOT } from '../../build/bundle.ts'
import { REFERENCE_PAGES } from '../../build/reference.ts'
import PACKAGE from '../../package.json'
import { RELAY_PATHS } from '../../src/contract/allowlist.ts'
import { FAILURES, REASONS } from '../../src/contract/failures.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { LOG_EVENTS } from '../../src/contract/operator/log-events.ts'
import { METRICS } from '../../src/contract/operator/metrics.ts'
import { ROUTES } from '../../src/contract/routes.ts'
import { SETTING_ROWS, type SettingKind } from '../../src/contract/settings.ts'
import { STREAMS } from '../../src/contract/stream/topics.ts'
import { settingVariable } from '../../src/core/settings/sources.ts'
import { NOTICE_CONDITIONS, type NoticeCondition } from '../../src/operator/notify/conditions.ts'

const ROWS = Object.entries<NoticeCondition>(NOTICE_CONDITIONS)
const NOTICES = ROWS.filter(([, { forMs }]) => forMs !== null).map(([name]) => name)
const DEGRADED = ROWS.flatMap(([, { degrades }]) => degrades ?? [])

const text = (name: string) => REFERENCE_PAGES[name]?.() ?? ''

test.each([
  ['settings.md', SETTING_ROWS.map(({ name }) => `| \`${settingVariable(name)}\` |`)],
  ['routes.md', Object.values(ROUTES).map(({ method, path }) => `| \`${method} ${path}\` |`)],
  ['routes.md', Object.keys(OPERATIONS).map((id) => `| \`${id}\` |`)],
  ['routes.md', RELAY_PATHS.map(({ methods, path }) => `| ${methods.join(' ')} | \`${path}\` |`)],
  ['routes.md', Object.keys(FAILURES).map((code) => `| \`${code}\` |`)],
  ['operations.md', Object.keys(METRICS).map((name) => `| \`${name}\` |`)],
  ['live-data.md', Object.keys(STREAMS).map((name) => `| \`${name}`)],
] as const)('%s has a row for each row of its table', (name, rows) => {
  expect(rows.filter((row) => !text(name).includes(row))).toEqual([])
  expect(rows.length).toBeGreaterThan(10)
})

const URL_KINDS: ReadonlySet<SettingKind> = new Set([
  'baseUrl',
  'collector',
  'postgres',
  'stream',
  'swap',
  'valkey',
  'venue',
  'venueOrPaper',
])

test('operations.md lists each setting that names a server by its URL as an outgoing connection', () => {
  const [, outgoing = ''] = text('operations.md').split('Outgoing connections')
  const names = SETTING_ROWS.filter(({ kind }) => URL_KINDS.has(kind)).map(({ name }) => name)
  const [table = ''] = outgoing.split('\n## ')
  expect(names.filter((name) => !table.includes(`| \`${settingVariable(name)}\` |`))).toEqual([])
  expect(names.length).toBeGreaterThan(8)
})

test('each row of a table has as many cells as its head', () => {
  for (const name of Object.keys(REFERENCE_PAGES)) {
    for (const table of text(name).match(/(?:^\|.*\n)+/gm) ?? []) {
      const cells = table
        .trim()
        .split('\n')
        .map((row) => row.split(/(?<!\\)\|/).length)
      expect(new Set(cells).size).toBe(1)
    }
  }
})

test('each package has its purpose, and no other is named', () => {
  const page = readFileSync(join(ROOT, 'config/reference/dependencies.md'), 'utf8')
  const named = [...page.matchAll(/^\| `([^`]+)` \| .+ \|$/gm)].map(([, name]) => name)
  const listed = Object.keys({ ...PACKAGE.dependencies, ...PACKAGE.devDependencies })
  expect(named.toSorted()).toEqual(listed.toSorted())
})

test('each page that the README links to is there', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path)
  expect(links.length).toBeGreaterThan(10)
  expect(links.filter((path) => !Bun.file(join(ROOT, path)).size)).toEqual([])
})

test.each([
  [
    'failure',
    Object.keys(FAILURES),
    (name: string) => new RegExp(`^\\| \`${name}\` \\| \\d{3} \\| .+ \\| .+ \\|$`, 'm'),
  ],
  [
    'reason',
    Object.keys(REASONS),
    (name: string) => new RegExp(`^\\| \`${name}\` \\| \`.+\` \\| .+ \\| .+ \\|$`, 'm'),
  ],
  [
    'log event',
    Object.keys(LOG_EVENTS),
    (name: string) => new RegExp(`^\\| \`${name}\` \\| .+ \\| .+ \\|$`, 'm'),
  ],
  [
    'notice',
    NOTICES,
    (name: string) => new RegExp(`^\\| \`${name}\` \\| (?:page|warn) \\| .+ \\| .+ \\|$`, 'm'),
  ],
  [
    'name of degraded',
    DEGRADED,
    (name: string) => new RegExp(`^\\| \`${name}\` \\| .+ \\| .+ \\|$`, 'm'),
  ],
] as const)('the page of troubleshooting has cause and next step of each %s', (_, names, row) => {
  expect(names.filter((name) => !row(name).test(text('troubleshooting.md')))).toEqual([])
  expect(names.length).toBeGreaterThan(5)
})

test('each log event of the table is written somewhere, and none is only documented', async () => {
  const sources = [...new Glob('src/**/*.ts').scanSync(ROOT)].filter(
    (path) => path !== 'src/contract/operator/log-events.ts',
  )
  const texts = await Promise.all(sources.map((path) => Bun.file(join(ROOT, path)).text()))
  const written = texts.join('\n')
  const isWritten = (event: string) => written.includes(`'${event}'`)
  expect(Object.keys(LOG_EVENTS).filter((event) => !isWritten(event))).toEqual([])
  expect(isWritten('never_logged')).toBe(false)
})
