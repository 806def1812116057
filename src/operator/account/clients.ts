import { shellArgument } from '../shell/arguments.ts'
import { opencodeEntry } from './hosts.ts'

/** The data with which an agent's client reaches an account. */
export type Access = {
  /** The executable's name or path in a shell. */
  readonly executable: string
  /** Environment variables of an agent over stdio. */
  readonly variables: readonly (readonly [name: string, value: string])[]
  /** The connection over HTTP; null without a server. Each text is written inside double quotes of a shell command. */
  readonly http: {
    readonly url: string
    readonly accountId: string
    readonly tradingKey: string
  } | null
}

/** The configuration line for each MCP client; null if the client cannot reach the account. */
export const CLIENTS: readonly {
  readonly client: string
  readonly line: (access: Access) => string | null
}[] = [
  {
    client: 'Claude Code',
    line: ({ executable, variables }) =>
      `claude mcp add prepd ${pairs(variables)} -- ${shellArgument(executable)} --mode mcp`,
  },
  {
    client: 'Claude Desktop, Cursor, Antigravity',
    line: (access) => json({ mcpServers: { prepd: serverEntry(access) } }),
  },
  {
    client: 'VS Code',
    line: (access) => `code --add-mcp '${json({ name: 'prepd', ...serverEntry(access) })}'`,
  },
  {
    client: 'Codex',
    line: ({ executable, variables }) =>
      `codex mcp add prepd ${pairs(variables, '--env')} -- ${shellArgument(executable)} --mode mcp`,
  },
  {
    client: 'opencode',
    line: (access) => json({ mcp: { prepd: opencodeEntry(serverEntry(access)) } }),
  },
  {
    client: 'Gemini CLI, in a trusted folder',
    line: ({ executable, variables }) =>
      `gemini mcp add prepd ${shellArgument(executable)} ${pairs(variables)} -- --mode mcp`,
  },
  {
    client: 'OpenAI Agents',
    line: (access) => `new MCPServerStdio(${json(serverEntry(access))})`,
  },
  {
    client: 'Over HTTP, Claude Code',
    line: ({ http }) =>
      http &&
      `claude mcp add --transport http prepd ${http.url}/mcp --header "x-account-id: ${http.accountId}" --header "x-trading-key: ${http.tradingKey}"`,
  },
]

/** The server entry in a client's configuration. */
export function serverEntry({ executable, variables }: Pick<Access, 'executable' | 'variables'>) {
  return { command: executable, args: ['--mode', 'mcp'], env: Object.fromEntries(variables) }
}

function pairs(variables: Access['variables'], flag = '-e'): string {
  return variables.map(([name, value]) => `${flag} ${shellArgument(`${name}=${value}`)}`).join(' ')
}

/** JSON on one line, with spaces between its parts. */
function json(value: unknown): string {
  return JSON.stringify(value, null, 1)
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
}
