import type { UserSystem } from '../command/command.ts'

/** A program that starts MCP servers over stdio, and where its user's configuration lists them. */
export type Host = {
  readonly name: string
  readonly client: string
  /** The member of the configuration that holds the servers by name. */
  readonly servers: 'mcpServers' | 'servers'
  /** Whether each server names its transport. */
  readonly isTyped: boolean
  readonly path: (system: UserSystem) => string
}

/**
 * The hosts, by their own documentation: Claude Desktop (modelcontextprotocol.io/docs/develop/connect-local-servers),
 * Claude Code (code.claude.com/docs/en/mcp, user scope), Cursor (cursor.com/docs/mcp), VS Code
 * (code.visualstudio.com/docs/agents/reference/mcp-configuration), Gemini CLI
 * (github.com/google-gemini/gemini-cli, docs/tools/mcp-server.md).
 */
// biome-ignore format: one host a row
export const HOSTS: readonly Host[] = [
  { name: 'claude-desktop', client: 'Claude Desktop', servers: 'mcpServers', isTyped: false, path: (system) => inApplications(system, 'Claude', 'claude_desktop_config.json') },
  { name: 'claude-code', client: 'Claude Code', servers: 'mcpServers', isTyped: true, path: (system) => joined(system, system.variables['CLAUDE_CONFIG_DIR'] || system.home, '.claude.json') },
  { name: 'cursor', client: 'Cursor', servers: 'mcpServers', isTyped: false, path: (system) => joined(system, system.home, '.cursor', 'mcp.json') },
  { name: 'vscode', client: 'VS Code', servers: 'servers', isTyped: true, path: (system) => inApplications(system, 'Code', 'User', 'mcp.json') },
  { name: 'gemini', client: 'Gemini CLI', servers: 'mcpServers', isTyped: false, path: (system) => joined(system, system.home, '.gemini', 'settings.json') },
]

/** A path below the folder where desktop applications of a system keep the settings of their user. */
function inApplications(system: UserSystem, ...parts: readonly string[]): string {
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
