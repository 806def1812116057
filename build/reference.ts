import { readFileSync } from 'node:fs'
import { LIMIT_HEADERS } from '../src/contract/agent-limits.ts'
import { RELAY_PATHS } from '../src/contract/allowlist.ts'
import { FAILURES } from '../src/contract/failures.ts'
import { OPERATION_GROUPS, OPERATIONS } from '../src/contract/operations.ts'
import { ROUTES } from '../src/contract/routes.ts'
import { AGENT_SETTINGS, SETTING_ROWS, type Setting } from '../src/contract/settings.ts'
import { isStreamName, STREAMS, topicTemplate } from '../src/contract/stream/topics.ts'
import { TOOL_GROUPS } from '../src/contract/tool-groups.ts'
import { AGENT_OUTCOMES } from '../src/contract/venue/evaluated-agent.ts'
import { FIGURE_NAMES, FIGURES } from '../src/contract/venue/evaluation.ts'
import { FAULTS } from '../src/contract/venue/faults.ts'
import { settingVariable } from '../src/core/settings/sources.ts'
import { type Access, CLIENTS } from '../src/operator/account/clients.ts'
import { AGENT_HOSTS } from '../src/operator/account/hosts.ts'
import { failureTable, reasonTable } from './docs/failure-tables.ts'
import { page, section, table } from './docs/markdown.ts'
import { operationsTables } from './docs/operations.ts'
import { troubleshootingTables } from './docs/troubleshooting.ts'

/** The pages of `config/reference/` that are written from the tables of `src/contract/`, by file name. */
export const REFERENCE_PAGES: Readonly<Record<string, () => string>> = {
  'settings.md': settingsPage,
  'routes.md': routesPage,
  'live-data.md': liveDataPage,
  'agents.md': agentsPage,
  'evaluations.md': evaluationsPage,
  'signed-call.md': signedCallPage,
  'troubleshooting.md': troubleshootingPage,
  'operations.md': operationsPage,
}

function settingsPage(): string {
  const server = SETTING_ROWS.map((row) => ({ ...row, name: settingVariable(row.name) }))
  const agent = Object.entries<Setting>(AGENT_SETTINGS).map(([name, row]) => ({ name, ...row }))
  return page(
    'Settings',
    'A flag (`--data-dir`) beats the environment (`PREPD_DATA_DIR`), which beats a key (`data_dir`) of the TOML file that `--config` names. A secret is never a flag; its `…_FILE` variable names a file that holds it. `prepd --mode admin config show --origin` prints the settings in force and where each came from.',
    section('Server', settingsTable(server)),
    section('Agent over stdio (`--mode mcp`)', settingsTable(agent)),
  )
}

function settingsTable(rows: readonly (Setting & { name: string })[]): string {
  return table(['Setting', 'Default', 'Meaning'], rows.map(settingCells))
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

function routesPage(): string {
  return page(
    'Routes',
    'A success is the payload itself. A failure is `{code, error, meta?}` with a code of the last table. `/swagger` describes parameters and answers, with examples.',
    section('Routes', routesTable()),
    section(`Catalogued operations: \`GET /api/prep/op/{id}\``, operationsTable()),
    section(`Relay paths: \`POST /api/prep/relay\``, relayTable()),
    section('Failures', failuresTable()),
  )
}

function routesTable(): string {
  const rows = Object.values(ROUTES).map(({ method, path, summary }) => [
    `\`${method} ${path}\``,
    summary,
  ])
  return table(['Route', 'Answer'], rows)
}

function operationsTable(): string {
  const rows = OPERATION_GROUPS.flatMap((group) =>
    Object.entries(OPERATIONS)
      .filter(([, operation]) => operation.group === group)
      .map(([id, { summary }]) => [group, `\`${id}\``, summary]),
  )
  return table(['Group', 'Operation', 'Answer'], rows)
}

function relayTable(): string {
  const rows = RELAY_PATHS.map(({ family, methods, path }) => [
    family,
    methods.join(' '),
    `\`${path}\``,
  ])
  return table(['Family', 'Methods', 'Path'], rows)
}

function failuresTable(): string {
  const rows = Object.entries(FAILURES).map(([code, { status, error, retryable }]) => [
    `\`${code}\``,
    String(status),
    retryable ? 'yes' : 'no',
    error,
  ])
  return table(['Code', 'Status', 'The same read may be sent again', 'Text'], rows)
}

function liveDataPage(): string {
  const rows = Object.keys(STREAMS)
    .filter(isStreamName)
    .map((name) => {
      const { summary, kind, intervalMs, reads } = STREAMS[name]
      const interval = intervalMs === 0 ? 'at once' : `${intervalMs / 1000} s`
      return [`\`${topicTemplate(name)}\``, kind, interval, summary, `\`${reads.join(' ')}\``]
    })
  return page(
    'Live data',
    '`/swagger/streams.json` (AsyncAPI 3) describes every message.',
    `${LIVE_DATA}\n`,
    section('Topics', table(['Topic', 'Kind', 'Interval', 'Content', 'Fields of'], rows)),
  )
}

const LIVE_DATA = `- \`GET /api/prep/ws\` is a WebSocket. It takes \`{"op":"subscribe","topics":["orderbook:PERP_ETH_USDC"]}\`, \`unsubscribe\`, \`ping\` and \`auth\`.
- \`GET /api/prep/stream?topics=a,b\` sends the same messages as server-sent events, without account topics.
- Each message is \`{topic, type, epoch, seq, ts, data}\`. \`seq\` rises by one within an \`epoch\`, which begins with a \`snapshot\`.
- \`since: {topic: [epoch, seq]}\`, or the header Last-Event-ID, continues after an interruption of at most a minute. Otherwise a snapshot follows.
- A topic says \`stale\` after 10 s without the venue.
- Account topics need \`{"op":"auth","accountId","key","timestamp","signature"}\` with \`signature = ed25519(timestamp)\`. Their first message, \`resync\`, lists the reads to make through the relay. \`signature\` is base64url, \`timestamp\` milliseconds. \`auth_required\` asks for a new signature.
- A connection that reads too slowly misses messages, and then gets a snapshot of each topic. If it stays behind, it is closed with 4408. The third message that is malformed or above a limit closes with 1008.`

const ANY_ACCESS: Access = {
  executable: '/path/to/prepd',
  variables: [['SERVICE_API_URL', 'https://your.host']],
  http: { url: 'https://your.host', accountId: '0x…', tradingKey: '…' },
}

function agentsPage(): string {
  const hosts = AGENT_HOSTS.map(({ name }) => `\`${name}\``).join(', ')
  const clients = CLIENTS.map(({ client, line }) => `### ${client}\n\n    ${line(ANY_ACCESS)}`)
  return page(
    'Agents',
    `\`prepd --mode admin account create\` opens an account on the embedded venue of a running server, or of an agent's data directory (\`--data-dir\`), and prints the lines under "Clients" with your values. With \`--agent NAME\` it writes the server into the configuration of an agent (${hosts}) and keeps a copy of the file. \`--dry-run\` shows the change first; \`--replace\` replaces an entry. \`--max-order-usdc 100\` and the flags of the other limits set the agent's limits. On a live venue \`account create\` prints the message that your wallet signs, and \`account bind\` takes the signature, with the same flags.`,
    `${AGENTS}\n`,
    section('Clients', clients.join('\n\n')),
  )
}

const AGENTS = `- Over stdio, add \`SERVICE_ACCOUNT_ID\` and \`SERVICE_TRADING_KEY\` (or \`SERVICE_TRADING_KEY_FILE\`; or \`keychain\`, where \`account create --keychain\` has put it into the keychain of macOS, Windows or a Linux desktop) beside the URL. The key signs on your machine and is never sent.
- Over HTTP, send the headers \`x-account-id\` and \`x-trading-key\`, or \`Authorization: Bearer ACCOUNT:KEY\`, over TLS.
- The owner sets limits that the model cannot change: the \`SERVICE_\` variables of [settings](settings.md). Over HTTP they are the headers ${LIMIT_HEADERS.map((name) => `\`${name}\``).join(', ')}. prepd refuses a variable or header that looks like a misspelt limit.
- An operator sets the same limits for every agent of a server as \`PREPD_AGENT_…\`; the tightest one applies. An agent with \`SERVICE_API_URL\` refuses these variables, because that service has its own operator.
- Only the allowed markets and read-only apply to reduce-only orders and cancels; a mandate never limits them.
- **Limits bind prepd, not the venue.** Anyone who has the trading key can call the venue directly.
- A wallet limits its account for every key and agent at this gateway with \`POST /api/prep/mandate\`: value per order, day and position, loss, leverage, rate, markets, an end. Keys can only tighten or freeze it: [mandates](choices.md#mandates).
- \`SERVICE_APPROVE_ABOVE_USDC\` (per write) and \`SERVICE_APPROVE_ABOVE_DAILY_USDC\` (the sum of unapproved writes of 24 hours) are values above which a write is \`approval_required\`, with a link. On that page the wallet that owns the account approves exactly this order, once. The model and its client cannot approve: [approvals](choices.md#approvals).
- Over stdio, \`SERVICE_TOOLS\` limits which groups of tools exist: ${TOOL_GROUPS.map((group) => `\`${group}\``).join(', ')}.
- \`get_limits\` shows what remains of each limit, \`get_report\` the whole account, and \`standby\` cancels resting orders when the agent falls silent. \`rebalance\` returns a plan; send the same plan back to execute it. \`wait_for\` waits at most 50 seconds, or 10 minutes over stdio for a client that sent a progress token.
- Each write is recorded in a hash chain: \`prepd --mode admin audit agents\` lists it, \`audit verify\` checks it. Over stdio add \`--file ~/.local/state/prepd/agent-orders.db\`, or the file of that name in the data directory that you named.
- A release (\`npm run release\`) has a plugin for Claude Code, an extension for Gemini CLI and a plugin for Cursor, with five skills of \`config/skills\`.`

const FAULTS_GUIDE = `Faults on the wire of the embedded venue, for evaluations, scenarios and
\`prepd --mode admin venue faults add --kind KIND\`.

`

function evaluationsPage(): string {
  const rows = FIGURE_NAMES.map((name) => [
    `\`${name}\``,
    FIGURES[name].unit,
    FIGURES[name].meaning,
  ])
  const outcomes = Object.entries(AGENT_OUTCOMES).map(([name, { isFinished, meaning }]) => [
    `\`${name}\``,
    isFinished ? 'yes' : 'no',
    meaning,
  ])
  const faults = Object.entries(FAULTS).map(([kind, { place, takesEffect, meaning }]) => [
    `\`${kind}\``,
    place === 'stream' ? 'live message' : 'call',
    takesEffect ? 'yes' : 'no',
    meaning,
  ])
  const guide = guideText('./evaluations.md')
  return page(
    'Evaluations',
    guide,
    section('How an agent ends', table(['Outcome', 'Finished', 'Meaning'], outcomes)),
    section('Figures', table(['Figure', 'Unit', 'Meaning'], rows)),
    section('Faults', FAULTS_GUIDE + table(['Kind', 'Hits', 'Takes effect', 'Meaning'], faults)),
  )
}

function signedCallPage(): string {
  return page(
    'The signed call',
    guideText('./docs/signed-call.md'),
    section('Failures of the relay', failureTable('relay')),
    section('Reasons of the relay', reasonTable('relay')),
  )
}

function troubleshootingPage(): string {
  return page('Troubleshooting', guideText('./docs/troubleshooting.md'), ...troubleshootingTables())
}

function operationsPage(): string {
  return page('Operations', OPERATIONS_TEXT, ...operationsTables())
}

const OPERATIONS_TEXT = guideText('./docs/operations.md')

/** What is written by hand of a generated page. */
function guideText(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8')
}
