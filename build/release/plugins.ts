import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { instructionsFor } from '../../src/agents/protocol/instructions.ts'
import { TOOLS } from '../../src/agents/tools/tools.ts'
import { ROOT } from '../bundle.ts'
import { ASKED, DESCRIPTION, pretty, rowOf, titleOf } from './manifests.ts'
import { type Packing, zipped } from './packages.ts'
import type { StagedFile } from './stage.ts'

const SKILLS = join(ROOT, 'config/skills')
const SERVERS = { mcpServers: { prepd: { command: 'prepd', args: ['--mode', 'mcp'] } } }

const AGENT_PLUGINS = 'https://agent-plugins.org/schemas/1.0.0'

/**
 * The plugin of each host: a name, and its files beside the skills. Formats: Claude Code (code.claude.com/docs/en,
 * plugins reference), Gemini CLI (geminicli.com/docs/extensions), Cursor (cursor.com/docs/reference/plugins), and every
 * host of the Agent Plugins specification 1.0.0 (agent-plugins.org).
 */
export const PLUGINS: readonly {
  readonly kind: string
  readonly files: (version: string) => Readonly<Record<string, string>>
}[] = [
  {
    kind: 'claude-plugin',
    files: (version) => ({
      '.claude-plugin/plugin.json': pretty(manifest(version)),
      '.mcp.json': pretty(SERVERS),
    }),
  },
  {
    kind: 'gemini-extension',
    files: (version) => ({
      'gemini-extension.json': pretty({
        ...{ name: 'prepd', version, description: DESCRIPTION, ...SERVERS },
        contextFileName: 'GEMINI.md',
        settings: ASKED.map((name) => ({
          ...{ name: titleOf(name), description: rowOf(name).meaning.replaceAll('`', '') },
          ...{ envVar: name, sensitive: rowOf(name).secret === true },
        })),
      }),
      'GEMINI.md': `${instructionsFor('unknown')}\n`,
    }),
  },
  {
    kind: 'cursor-plugin',
    files: (version) => ({
      '.cursor-plugin/plugin.json': pretty({ ...manifest(version), displayName: 'prepd' }),
      'mcp.json': pretty(SERVERS),
    }),
  },
  {
    kind: 'agent-plugin',
    files: (version) => ({
      'plugin.json': pretty({
        $schema: `${AGENT_PLUGINS}/plugin.schema.json`,
        ...manifest(version),
      }),
      'mcp.json': pretty({
        $schema: `${AGENT_PLUGINS}/mcp.schema.json`,
        mcpServers: { prepd: { type: 'stdio', ...SERVERS.mcpServers.prepd } },
      }),
    }),
  },
]

function manifest(version: string) {
  const author = { name: 'prepd' }
  return { name: 'prepd', version, description: DESCRIPTION, author, license: 'Apache-2.0' }
}

/** The skills by name, in the order of their names. */
export function skills(): ReadonlyMap<string, string> {
  const names = readdirSync(SKILLS).toSorted()
  return new Map(names.map((name) => [name, readFileSync(join(SKILLS, name, 'SKILL.md'), 'utf8')]))
}

/** What a person reads first: what has to be there, and every tool. */
function readme(): string {
  const rows = TOOLS.map(({ name, title, annotations }) => {
    return `| \`${name}\` | ${title} | ${annotations.readOnlyHint ? 'reads' : 'writes'} |`
  })
  return [
    ...['# prepd', '', DESCRIPTION, ''],
    'The executable `prepd` has to be on the PATH. Without settings it runs on a simulated exchange, where nothing is real money.',
    'Its settings are environment variables: `SERVICE_API_URL`, `SERVICE_ACCOUNT_ID`, `SERVICE_TRADING_KEY` and the limits.',
    ...['', '| Tool | | |', '| --- | --- | --- |', ...rows, ''],
  ].join('\n')
}

/** Makes the plugin of each host as a zip; answers the files' names. The same version and time give the same bytes. */
export function writePlugins(
  packing: Pick<Packing, 'version' | 'atSeconds' | 'level' | 'out' | 'work'>,
): readonly string[] {
  const { version } = packing
  return PLUGINS.map(({ kind, files }) => {
    const texts = [
      ...Object.entries(files(version)),
      ...[...skills()].map(([name, text]) => [`skills/${name}/SKILL.md`, text] as const),
      ['README.md', readme()] as const,
      ['LICENSE', readFileSync(join(ROOT, 'LICENSE'), 'utf8')] as const,
    ]
    const staged: StagedFile[] = texts.map(([path, text]) => ({
      path,
      from: { text },
      mode: 0o644,
    }))
    return zipped({ ...packing, target: kind }, `prepd-${version}-${kind}.zip`, staged)
  })
}
