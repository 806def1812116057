import { expect } from 'bun:test'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TProperties, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { PLUGINS, skills, writePlugins } from '../../build/release/plugins.ts'
import { TOOLS } from '../../src/agents/tools/tools.ts'
import { needProgram, testsNeeding } from '../programs.ts'
import { temporaryFolder } from '../surface/spawned.ts'

const { afterAll, describe, test } = testsNeeding('release plugins', 'zip', 'unzip')

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

function made(place: string): readonly string[] {
  const [out, work] = [join(folder.path, place, 'out'), join(folder.path, place, 'work')]
  for (const path of [out, work]) mkdirSync(path, { recursive: true })
  const parts = { version: '1.2.3', atSeconds: 1_700_000_000, level: 1, out, work }
  return writePlugins(parts).map((name) => join(out, name))
}

function inZip(path: string, file: string): string {
  const { exitCode, stdout } = Bun.spawnSync([needProgram('unzip'), '-p', path, file])
  expect([file, exitCode]).toEqual([file, 0])
  return stdout.toString()
}

const TOOL_NAMES = new Set(TOOLS.map(({ name }) => name))
/** Names that a skill may mark as code beside those of tools: arguments, their values, and members of failures. */
const OTHERS = new Set([
  ...TOOLS.flatMap(({ arguments: { properties } }) => [
    ...Object.keys(properties),
    ...Object.values(properties).flatMap((property) => property['enum'] ?? []),
  ]),
  ...['look_up', 'may_arrive_until', 'funding.history'],
  ...['state', 'arrived', 'unknown', 'never_arrived'],
])

/** Names marked as code that are neither a tool nor anything a tool takes. */
function unknownNames(text: string): readonly string[] {
  const marked = Array.from(text.matchAll(/`([^`]+)`/g), ([, name = '']) => name)
  return marked.filter((name) => !TOOL_NAMES.has(name) && !OTHERS.has(name))
}

describe('a skill', () => {
  test('is one of the five', () => {
    expect([...skills().keys()]).toEqual([
      ...['first-trade', 'morning-report', 'protect-position', 'recover-lost-answer'],
      'test-strategy',
    ])
  })

  test.each([...skills()])(
    '%s names only tools and arguments that there are, and is short',
    (name, text) => {
      const [, front = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? []
      const [first, second, ...more] = front.split('\n')
      expect(first).toBe(`name: ${name}`)
      expect(second).toMatch(/^description: .{40,400}$/)
      expect(second).toContain('Use ')
      expect(more).toEqual([])
      expect(unknownNames(body)).toEqual([])
      expect(
        [...body.matchAll(/`(\w+)`/g)].filter(([, word = '']) => TOOL_NAMES.has(word)).length,
      ).toBeGreaterThan(3)
      expect(body.split('\n').length).toBeLessThanOrEqual(30)
    },
  )

  test('with a tool that is not there is found', () => {
    expect(unknownNames('Call `place_order`, then `close_everything`.')).toEqual([
      'close_everything',
    ])
  })
})

test('plugins are the same bytes wherever they are made', () => {
  const [here, there] = [made('here'), made('there')]
  expect(here).toHaveLength(PLUGINS.length)
  for (const [at, path] of here.entries())
    expect(readFileSync(path).equals(readFileSync(there[at] ?? ''))).toBe(true)
})

/** What version 1.0.0 of the Agent Plugins specification takes: both files are closed, and name their schemas. */
const AGENT_PLUGINS = 'https://agent-plugins.org/schemas/1.0.0'
const closed = <Fields extends TProperties>(fields: Fields) =>
  Type.Object(fields, { additionalProperties: false })
const MANIFEST = closed({
  $schema: Type.Literal(`${AGENT_PLUGINS}/plugin.schema.json`),
  name: Type.String({ minLength: 1, maxLength: 64, pattern: '^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$' }),
  version: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  author: Type.Optional(closed({ name: Type.Optional(Type.String()) })),
  license: Type.Optional(Type.String()),
})
const SERVERS = closed({
  $schema: Type.Literal(`${AGENT_PLUGINS}/mcp.schema.json`),
  mcpServers: Type.Record(
    Type.String(),
    closed({
      type: Type.Literal('stdio'),
      command: Type.String({ minLength: 1 }),
      args: Type.Optional(Type.Array(Type.String())),
    }),
  ),
})

test('the archive of Agent Plugins is of their schema, and has every skill', () => {
  const path = made('open').find((each) => each.endsWith('prepd-1.2.3-agent-plugin.zip')) ?? ''
  const manifest = JSON.parse(inZip(path, 'plugin.json'))
  const servers = JSON.parse(inZip(path, 'mcp.json'))
  expect([...Value.Errors(MANIFEST, manifest), ...Value.Errors(SERVERS, servers)]).toEqual([])
  expect(manifest).toMatchObject({ name: 'prepd', version: '1.2.3' })
  const { type: _, ...server } = servers.mcpServers.prepd
  expect(server).toEqual({ command: 'prepd', args: ['--mode', 'mcp'] })
  for (const [name, text] of skills()) expect(inZip(path, `skills/${name}/SKILL.md`)).toBe(text)
  // The manifest of another host is none of theirs.
  const claude = made('other').find((each) => each.includes('claude')) ?? ''
  const foreign = JSON.parse(inZip(claude, '.claude-plugin/plugin.json'))
  expect(Value.Check(MANIFEST, foreign)).toBe(false)
})

test('each host finds its manifest with the version, the server, every skill and every tool', () => {
  const [claude = '', gemini = '', cursor = ''] = made('look')
  const server = { command: 'prepd', args: ['--mode', 'mcp'] }
  const extension = JSON.parse(inZip(gemini, 'gemini-extension.json'))
  const manifests = [
    [
      JSON.parse(inZip(claude, '.claude-plugin/plugin.json')),
      JSON.parse(inZip(claude, '.mcp.json')),
    ],
    [extension, extension],
    [
      JSON.parse(inZip(cursor, '.cursor-plugin/plugin.json')),
      JSON.parse(inZip(cursor, 'mcp.json')),
    ],
  ] as const
  for (const [manifest, servers] of manifests) {
    expect(manifest).toMatchObject({ name: 'prepd', version: '1.2.3' })
    expect(servers.mcpServers).toEqual({ prepd: server })
  }
  expect(inZip(gemini, extension.contextFileName)).toContain('preview_order')
  expect(extension.settings).toContainEqual(
    expect.objectContaining({ envVar: 'SERVICE_TRADING_KEY', sensitive: true }),
  )
  for (const path of [claude, gemini, cursor]) {
    const readme = inZip(path, 'README.md')
    for (const name of TOOL_NAMES) expect(readme).toContain(`| \`${name}\` |`)
    for (const [name, text] of skills()) expect(inZip(path, `skills/${name}/SKILL.md`)).toBe(text)
  }
})
