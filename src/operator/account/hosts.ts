import type { UserSystem } from '../command/command.ts'

/** The command with which a host starts the server over stdio. */
export type StdioServer = {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** A program that starts MCP servers over stdio, with the location of its user's configuration. */
export type Host = {
  readonly name: string
  readonly client: string
  readonly format: 'json' | 'toml'
  /** The member of the configuration that maps names to servers. */
  readonly servers: 'mcpServers' | 'servers' | 'mcp' | 'mcp_servers'
  /** The server entry in the host's own format. */
  readonly entry: (server: StdioServer) => object
  /** The possible paths of the configuration; the first is the default. */
  readonly paths: (system: UserSystem) => readonly string[]
}

const plain = (server: StdioServer): object => server
const typed = (server: StdioServer): object => ({ type: 'stdio', ...server })

/**
 * The hosts, as their own documentation describes them:
 * - Claude Desktop (modelcontextprotocol.io/docs/develop/connect-local-servers),
 * - Claude Code (code.claude.com/docs/en/mcp, user scope),
 * - Cursor (cursor.com/docs/mcp),
 * - VS Code (code.visualstudio.com/docs/agents/reference/mcp-configuration),
 * - Codex (developers.openai.com/codex/mcp: command line, editors and desktop app share the file),
 * - Antigravity (antigravity.google/docs: command line and IDE share the file),
 * - Gemini CLI (github.com/google-gemini/gemini-cli, docs/tools/mcp-server.md),
 * - opencode (opencode.ai/docs/mcp-servers).
 */
// biome-ignore format: one host a row
export const AGENT_HOSTS: readonly Host[] = [
  { name: 'claude-desktop', client: 'Claude Desktop', format: 'json', servers: 'mcpServers', entry: plain, paths: claudeDesktopPaths },
  { name: 'claude-code', client: 'Claude Code', format: 'json', servers: 'mcpServers', entry: typed, paths: (system) => [joined(system, system.variables['CLAUDE_CONFIG_DIR'] || system.home, '.claude.json')] },
  { name: 'cursor', client: 'Cursor', format: 'json', servers: 'mcpServers', entry: plain, paths: (system) => [joined(system, system.home, '.cursor', 'mcp.json')] },
  { name: 'vscode', client: 'VS Code', format: 'json', servers: 'servers', entry: typed, paths: (system) => [applicationSettingsPath(system, 'Code', 'User', 'mcp.json')] },
  { name: 'codex', client: 'Codex', format: 'toml', servers: 'mcp_servers', entry: plain, paths: (system) => [joined(system, system.variables['CODEX_HOME'] || joined(system, system.home, '.codex'), 'config.toml')] },
  { name: 'antigravity', client: 'Antigravity', format: 'json', servers: 'mcpServers', entry: plain, paths: (system) => [joined(system, system.home, '.gemini', 'config', 'mcp_config.json')] },
  { name: 'gemini', client: 'Gemini CLI', format: 'json', servers: 'mcpServers', entry: plain, paths: (system) => [joined(system, system.home, '.gemini', 'settings.json')] },
  { name: 'opencode', client: 'opencode', format: 'json', servers: 'mcp', entry: opencodeEntry, paths: opencodePaths },
]

/** The server entry in opencode's format (opencode.ai/docs/mcp-servers). */
export function opencodeEntry({ command, args, env }: StdioServer): object {
  return { type: 'local', command: [command, ...args], environment: env, enabled: true }
}

/** On Windows, the app from the Microsoft Store keeps its configuration in a separate folder. */
function claudeDesktopPaths(system: UserSystem): readonly string[] {
  const { platform, home, variables } = system
  const usual = applicationSettingsPath(system, 'Claude', 'claude_desktop_config.json')
  if (platform !== 'win32') return [usual]
  const local = variables['LOCALAPPDATA'] || `${home}\\AppData\\Local`
  return [usual, `${local}\\${PACKAGED_CLAUDE}\\claude_desktop_config.json`]
}

const PACKAGED_CLAUDE = 'Packages\\Claude_pzs8sxrjxfjjc\\LocalCache\\Roaming\\Claude'

function opencodePaths(system: UserSystem): readonly string[] {
  const { home, variables } = system
  const folder = joined(system, variables['XDG_CONFIG_HOME'] || joined(system, home, '.config'))
  return ['opencode.json', 'opencode.jsonc'].map((name) => joined(system, folder, 'opencode', name))
}

/** A path below the folder where this system's desktop applications keep their settings. */
function applicationSettingsPath(system: UserSystem, ...parts: readonly string[]): string {
  const { platform, home, variables } = system
  if (platform === 'win32') {
    return joined(system, variables['APPDATA'] || `${home}\\AppData\\Roaming`, ...parts)
  }
  if (platform === 'darwin') return joined(system, home, 'Library', 'Application Support', ...parts)
  return joined(system, variables['XDG_CONFIG_HOME'] || `${home}/.config`, ...parts)
}

function joined({ platform }: UserSystem, ...parts: readonly string[]): string {
  return parts.join(platform === 'win32' ? '\\' : '/')
}

/** The parent folder of a path, by the path rules of a system. */
export function folderOfPath({ platform }: UserSystem, path: string): string {
  return path.slice(0, path.lastIndexOf(platform === 'win32' ? '\\' : '/'))
}
