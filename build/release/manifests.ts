import { TOOLS } from '../../src/agents/tools/tools.ts'
import { AGENT_SETTINGS, type AgentSettingName, type Setting } from '../../src/contract/settings.ts'

/** What agents' hosts say about it. */
export const DESCRIPTION = 'Trade perpetual futures and quote swaps; keys sign on this machine.'

/** What a desktop client asks its user for, in this order. */
export const ASKED: readonly AgentSettingName[] = [
  'SERVICE_API_URL',
  'SERVICE_ACCOUNT_ID',
  'SERVICE_TRADING_KEY',
  'SERVICE_MAX_ORDER_USDC',
  'SERVICE_MAX_DAILY_USDC',
  'SERVICE_ALLOWED_SYMBOLS',
  'SERVICE_READ_ONLY',
]

const PLATFORMS: Readonly<Record<string, string>> = {
  darwin: 'darwin',
  linux: 'linux',
  windows: 'win32',
}

type Bundle = { readonly version: string; readonly target: string; readonly file: string }

/** The manifest of a desktop bundle (MCPB, manifest version 0.3). */
export function agentManifest({ version, target, file }: Bundle): string {
  const [system = ''] = target.split('-')
  return pretty({
    manifest_version: '0.3',
    name: 'prepd',
    display_name: 'prepd',
    version,
    description: DESCRIPTION,
    author: { name: 'prepd' },
    license: 'Apache-2.0',
    server: {
      type: 'binary',
      entry_point: `server/${file}`,
      mcp_config: {
        command: `\${__dirname}/server/${file}`,
        args: ['--mode', 'mcp'],
        env: Object.fromEntries(ASKED.map((name) => [name, `\${user_config.${keyOf(name)}}`])),
      },
    },
    tools: TOOLS.map(({ name, description }) => ({ name, description })),
    user_config: Object.fromEntries(ASKED.map((name) => [keyOf(name), question(name)])),
    compatibility: { platforms: [PLATFORMS[system]] },
  })
}

/** A bundle as the registry points at it. */
export type Published = { readonly file: string; readonly sha256: string }

type Publishing = {
  readonly version: string
  /** In reverse-DNS form, as the registry wants it: `com.example/prepd`. */
  readonly name: string
  /** Where the files of the release can be fetched, without a slash at the end. */
  readonly url: string
  readonly bundles: readonly Published[]
}

/** The entry of the MCP registry (server.json, schema of 2025-12-11). */
export function serverJson({ version, name, url, bundles }: Publishing): string {
  return pretty({
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name,
    title: 'prepd',
    description: DESCRIPTION,
    version,
    packages: bundles.map(({ file, sha256 }) => ({
      registryType: 'mcpb',
      identifier: `${url}/${file}`,
      version,
      fileSha256: sha256,
      transport: { type: 'stdio' },
      environmentVariables: ASKED.map((variable) => ({
        name: variable,
        description: rowOf(variable).meaning,
        isRequired: false,
        isSecret: rowOf(variable).secret === true,
      })),
    })),
  })
}

function question(name: AgentSettingName) {
  const { meaning, secret, default: fallback } = rowOf(name)
  return {
    type: 'string',
    title: titleOf(name),
    description: meaning.replaceAll('`', ''),
    required: false,
    default: typeof fallback === 'string' ? fallback : '',
    ...(secret && { sensitive: true }),
  }
}

/** The row of a setting. */
export function rowOf(name: AgentSettingName): Setting {
  return AGENT_SETTINGS[name]
}

/** `trading_key` of `SERVICE_TRADING_KEY`. */
function keyOf(name: AgentSettingName): string {
  return name.replace('SERVICE_', '').toLowerCase()
}

/** `Trading key` of `SERVICE_TRADING_KEY`. */
export function titleOf(name: AgentSettingName): string {
  const words = keyOf(name).replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** JSON as people read it. */
export function pretty(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
