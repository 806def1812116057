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
    'You can set each setting in three places. A flag (`--data-dir`) overrides an environment variable (`PREPD_DATA_DIR`). The variable overrides a key (`data_dir`) in the TOML file of `--config`. A secret cannot be a flag; you can put it in a file and set the `…_FILE` variable to its path. `prepd --mode admin config show --origin` prints all settings and their origin. A rate limit such as `600/60s burst 120` allows 600 requests per 60 seconds, and at most 120 at once. In the tables, names in capitals without a prefix (VENUE) are other settings, and "in practice" means that `PREPD_VENUE` is `embedded` or `paper`.',
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
    'A successful answer is the payload itself. A failure is `{code, error, meta?}` with a code of the table "Failures". `/swagger` describes parameters and answers, with examples.',
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

/** Writes that may be sent again, by a failure after which reads may not. */
const RETRYABLE_WRITES: ReadonlyMap<string, string> = new Map([
  ['mandate_exceeded', 'no; a write after `meta.retryAfterSeconds`'],
])

function failuresTable(): string {
  const rows = Object.entries(FAILURES).map(([code, { status, error, retryable }]) => [
    `\`${code}\``,
    String(status),
    retryable ? 'yes' : (RETRYABLE_WRITES.get(code) ?? 'no'),
    error,
  ])
  return table(['Code', 'Status', 'A read may be repeated', 'Text'], rows)
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
    'prepd publishes live data by topics. `/swagger/streams.json` (AsyncAPI 3) describes every message.',
    `${LIVE_DATA}\n`,
    section('Topics', table(['Topic', 'Kind', 'Interval', 'Content', 'Has the fields of'], rows)),
  )
}

const LIVE_DATA = `- \`GET /api/prep/ws\` is a WebSocket. Send \`{"op":"subscribe","topics":["orderbook:PERP_ETH_USDC"]}\`. Other values of \`op\` are \`unsubscribe\`, \`ping\` and \`auth\`.
- \`GET /api/prep/stream?topics=a,b\` sends the same messages as server-sent events, but not the topics of accounts.
- Each message is \`{topic, type, epoch, seq, ts, data}\`. An \`epoch\` begins with a \`snapshot\`. Within an epoch, \`seq\` rises by one per message.
- After an interruption of at most a minute, continue with \`since: {topic: [epoch, seq]}\` in \`subscribe\`, or with the header Last-Event-ID. After a longer one you get a new snapshot.
- If the venue sends nothing for 10 s, the topic sends a message of type \`stale\`.
- Topics of accounts need \`{"op":"auth","accountId","key","timestamp","signature"}\`. \`timestamp\` is in milliseconds. \`signature\` is the Ed25519 signature of the timestamp, in base64url. After \`auth_required\`, send a new signature.
- The first message of an account topic is \`resync\`. It lists the reads to make through the relay, which give the current state.
- If a client reads too slowly, it misses messages, and then gets a snapshot of each topic. If it stays too slow, prepd closes the connection with code 4408.
- prepd closes a connection with code 1008 after its third message that is malformed or exceeds a limit.

The kinds of topics are:

- \`replaced\`: each message is the whole state.
- \`fields\`: a snapshot, then the changed fields of each row.
- \`book\`: a snapshot, then the changed levels of the order book.
- \`rows\`: a snapshot of rows, then new rows. A row with the same time replaces the old one.
- \`events\`: a snapshot of the latest events, then new events.
- \`account\`: events of your account.`

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
    AGENTS_START.replace('HOSTS', hosts),
    `${AGENTS}\n`,
    section('Clients', clients.join('\n\n')),
  )
}

const AGENTS_START = `prepd is an MCP server for AI agents. This command opens a practice account, and adds prepd to the configuration of an agent:

    prepd --mode admin account create --agent NAME --max-order-usdc 100

- \`NAME\` is one of HOSTS. The command keeps a copy of the configuration file. \`--dry-run\` only shows the change, and \`--replace\` replaces an existing entry.
- Without \`--agent\`, it prints the commands of "Clients" with your values.
- By default, the account is on the embedded venue of a running server. If the agent runs prepd without a server, add \`--data-dir DIR\`: the account is then on the embedded venue whose data is in DIR.
- \`--max-order-usdc\` and similar flags set the agent's limits.
- On a live venue, \`account create\` prints a message for your wallet to sign. Pass the signature to \`account bind\`, with the same flags.`

const AGENTS = `## Credentials

- **Over stdio**, set \`SERVICE_ACCOUNT_ID\`, and either \`SERVICE_TRADING_KEY\` or \`SERVICE_TRADING_KEY_FILE\`. The key signs on your machine and is never sent.
- \`account create --keychain\` stores the key in the keychain of macOS, Windows or a Linux desktop. Then set \`SERVICE_TRADING_KEY=keychain\`.
- **Over HTTP**, send the headers \`x-account-id\` and \`x-trading-key\`, or \`Authorization: Bearer ACCOUNT:KEY\`. Use TLS.

## Limits

**Limits apply only inside prepd. Anyone who has the trading key can call the venue directly.** A model cannot change a limit. If several limits apply, the tightest one counts.

- **The user** sets the \`SERVICE_\` variables of [settings](settings.md). Over HTTP these are the headers ${LIMIT_HEADERS.map((name) => `\`${name}\``).join(', ')}. prepd refuses a variable or header that looks like a misspelt limit.
- **The operator** of a server sets \`PREPD_AGENT_…\` for every agent of the server. A local prepd with \`SERVICE_API_URL\` refuses these variables, because only the operator of the server at that address may set them.
- **The owner's wallet** limits the account for every key and agent of this server, with \`POST /api/prep/mandate\`. It can limit value per order, day and position, loss, leverage, rate, markets and time. Trading keys can only tighten or freeze these limits: [mandates](choices.md#mandates).
- **Cancels and reduce-only orders** are restricted by only two limits of the user and of the operator: the allowed markets and read-only. A mandate does not restrict them, even outside its markets.
- **Approval.** Above \`SERVICE_APPROVE_ABOVE_USDC\` per write, or \`SERVICE_APPROVE_ABOVE_DAILY_USDC\` per 24 hours, the answer is \`approval_required\` with a link. On that page, the owner's wallet approves exactly this order, once. The model cannot approve: [approvals](choices.md#approvals).

## Tools

- Over stdio, \`SERVICE_TOOLS\` selects the groups of tools: ${TOOL_GROUPS.map((group) => `\`${group}\``).join(', ')}.
- \`get_limits\` shows what is left of each limit. \`get_report\` shows the whole account.
- \`standby\` cancels open orders if the agent goes silent.
- \`rebalance\` returns a plan. Send the same plan back to execute it.
- \`wait_for\` waits for at most 50 seconds. Over stdio it waits for up to 10 minutes if the client sends a progress token. An agent with a virtual clock of its own, as in an evaluation, needs no token.

## Journal

prepd records each write of an agent in a hash chain. \`prepd --mode admin audit agents\` lists the writes, and \`audit verify\` checks the chain. For an agent over stdio, add \`--file\` with the path of its \`agent-orders.db\`. If the agent runs an embedded venue without a server, the file is in its data directory. Otherwise it is in \`SERVICE_STATE_DIR\`, by default \`~/.local/state/prepd\` on Linux.

## Plugins

A release (\`npm run release\`) contains a plugin for Claude Code, an extension for Gemini CLI and a plugin for Cursor. Each includes the five skills of \`config/skills\`.`

const FAULTS_GUIDE = `The embedded venue can simulate these faults. Use them in evaluations, in scenarios, and with
\`prepd --mode admin venue faults add --kind KIND\`. For a call, "Takes effect" says whether a write is executed in
spite of the fault.

`

function yesOrNo(isTrue: boolean): string {
  return isTrue ? 'yes' : 'no'
}

function evaluationsPage(): string {
  const rows = FIGURE_NAMES.map((name) => [
    `\`${name}\``,
    FIGURES[name].unit,
    FIGURES[name].meaning,
  ])
  const outcomes = Object.entries(AGENT_OUTCOMES).map(([name, { isFinished, meaning }]) => [
    `\`${name}\``,
    yesOrNo(isFinished),
    meaning,
  ])
  const faults = Object.entries(FAULTS).map(([kind, { place, takesEffect, meaning }]) => [
    `\`${kind}\``,
    place === 'stream' ? 'live message' : 'call',
    place === 'stream' ? '' : yesOrNo(takesEffect),
    meaning,
  ])
  const guide = guideText('./evaluations.md')
  return page(
    'Evaluations',
    guide,
    section('How an agent ends', table(['Outcome', 'Finished', 'Meaning'], outcomes)),
    section('Figures', table(['Figure', 'Unit', 'Meaning'], rows)),
    section('Faults', FAULTS_GUIDE + table(['Kind', 'Affects', 'Takes effect', 'Meaning'], faults)),
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
