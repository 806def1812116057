import { AGENT_SETTINGS, FLAGS, SETTING_ROWS, type Setting } from '../../contract/settings.ts'
import { variableOf } from '../../core/settings/sources.ts'
import type { Command } from '../command/command.ts'

const SEVERAL_INSTANCES = [
  'Instances that name the same PREPD_POSTGRES and PREPD_VALKEY are one service: a write goes out once, whichever of them is asked, and a caller has one window at all of them. They need a live venue, or the wire of another prepd (PREPD_VENUE_LISTEN).',
  'To restart them, restart one after the other, each when /readyz of the one before says ready. SIGTERM makes /readyz say no; for PREPD_STOP_GRACE seconds requests are still answered, each on a connection that then ends, and only then the listener closes. SIGINT waits for nobody.',
  'PostgreSQL keeps what must never be forgotten: give it a synchronous standby. While it is away, reads go on and writes but cancels are store_unavailable. Valkey or Redis keeps what may be lost: while it is away, each instance counts for itself. /readyz names what is away; config check looks at both.',
  'The public live data of a live venue is subscribed to once: one instance leads, and the others are fed by it through Valkey. When the leader stops, another takes over at once; when it dies, within 5 seconds. Subscribers then get snapshots. While Valkey is away each instance subscribes by itself. prepd_engine_feed shows which it is.',
  'Claims of signed writes lie in PostgreSQL by the minute in which they end, 16 partitions in turn; the one whose minute is over is emptied at once, so that nothing is left to vacuum.',
  'A primary that was replaced must take no more writes. Every second each instance compares the timeline of its PostgreSQL, and the id of its deployment (database, venue, broker), with what its peers have put into Valkey. Where it is behind them it tries its other hosts; while none is left, writes but cancels are store_unavailable, /readyz gives the reason, and prepd_engine_fenced is 1. A server that has several hosts beside it in PREPD_POSTGRES, or has ever had a standby, and does not wait for every standby, is written to under leases of Valkey: an instance that cannot reach Valkey stops writing 3 seconds after its last lease; one that starts meanwhile is not ready and writes nothing until Valkey answers. After a promotion the leases of the old primary end first, which takes up to 3 seconds; what was signed until then is outcome_unknown.',
  'To fail over by hand: 1. Stop the old primary, and see that it cannot start again (its machine off, or its service masked). 2. Promote the standby with pg_promote(). 3. Wait until /readyz of every instance names no engine. 4. Make the old primary a standby of the new one with pg_rewind before it starts again. Where something else fences, such as Patroni with a watchdog, PREPD_POSTGRES_FENCING=operator writes without Valkey and never waits for it. After a promotion while Valkey is away, or after it was emptied, writes are outcome_unknown for 5 minutes: only Valkey knows which timestamps ahead of the time were sent.',
  'A database that is put back to an earlier copy is noticed by running instances and by Valkey: writes signed before, or with a timestamp that may have been sent before, are outcome_unknown, and vouchers wait for voucher adopt, which is to be run once what was signed since the copy is known. A new database takes the place of another deployment 10 minutes after its last instance, or at once after DEL prepd:database in Valkey.',
  'Connections to PostgreSQL: each instance opens up to PREPD_POSTGRES_CONNECTIONS of them, a fifth for vouchers, a fifth for other questions and the rest for claims of writes, of which one account may hold half of the free ones (two orders at once by default), and keeps two when it has nothing to ask; without two free ones it is not ready. Where the server has no more, calls wait for those there are, and are store_unavailable when their time is up. config check compares with max_connections: leave room for every instance, and one each for its look at the server. A pooler such as PgBouncer is refused at the start, in transaction mode and in session mode: it does not pass on the timeouts and prepared statements of a connection. Name PostgreSQL itself.',
  'Every instance has the same voucher keys. One whose key differs from that of a living instance, and is not among its two lines, does not start: two would sign in turn for one deposit. prepd --mode admin rotate voucher FILE begins a rotation: with FILE in place restart the instances one after the other. They sign with the key before until all have both keys, then with the new one, and what the key before signed stands until its line is removed. An instance that was killed is forgotten after 10 seconds.',
] as const

/** The manual page prepd(1) of a version as roff, from the tables of flags, settings and commands. */
export function manualPage(commands: readonly Command[], version: string): readonly string[] {
  return [
    `.TH PREPD 1 "" "prepd ${version}" "User Commands"`,
    '.SH NAME',
    'prepd \\- the public API of a perpetual\\-futures and swap service',
    '.SH SYNOPSIS',
    '.B prepd',
    '[\\fB\\-\\-mode\\fR http|mcp|admin] [\\fB\\-\\-config\\fR FILE] [FLAGS] [COMMAND [ARGS]]',
    '.SH DESCRIPTION',
    text(
      'An HTTP server in front of a trading venue, an agent server over MCP, and operator commands. Without settings it runs on an embedded venue that needs no network.',
    ),
    '.SH OPTIONS',
    ...Object.entries(FLAGS).flatMap(([flag, { value, meaning }]) =>
      item(value === undefined ? flag : `${flag} ${value}`, meaning),
    ),
    '.SH SETTINGS',
    text(
      'Each is a flag (--data-dir), a variable (PREPD_DATA_DIR) and a key of the file of --config (data_dir), in that order. A secret is never a flag: set its variable, or name its file with _FILE.',
    ),
    ...SETTING_ROWS.flatMap((row) =>
      item(variableOf(row.name), `${row.meaning} Default: ${defaultOf(row)}.`),
    ),
    '.SH SEVERAL INSTANCES',
    ...SEVERAL_INSTANCES.map(text),
    '.SH ENVIRONMENT',
    ...item(
      'HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY',
      'The proxy of calls to other machines. Where one is named, each write to the venue opens a connection of its own.',
    ),
    '.SH ENVIRONMENT OF MCP MODE',
    ...Object.entries<Setting>(AGENT_SETTINGS).flatMap(([name, row]) => item(name, row.meaning)),
    '.SH COMMANDS',
    text('Of admin mode. Each takes --json.'),
    ...commands.flatMap(({ path, operand, summary, arguments: flags }) => [
      ...item(operand ? `${path} ${operand.shown}` : path, summary),
      ...(flags.length > 0 ? ['.RS', ...flags.flatMap(flagItem), '.RE'] : []),
    ]),
    '.SH EXIT STATUS',
    ...item('0', 'Done, or stopped as asked.'),
    ...item('1', 'It was refused, failed, or found something wrong.'),
    ...item('64', 'A flag, setting or command is wrong.'),
    ...item('70', 'A bug: the unit starts it again.'),
    '.SH FILES',
    ...fileItems(),
  ]
}

/** The files of a data directory. */
function fileItems(): string[] {
  return [
    ...item('prepd.sqlite', 'In the data directory: nonces, windows, claims, answers.'),
    ...item('venue.sqlite', 'Beside it: the embedded venue. A backup holds both in one file.'),
    ...item(
      'prepd.sqlite.version-N',
      'The store as it was before a later prepd brought it over from version N.',
    ),
    ...item(
      'prepd.mark',
      'Beside it: its last commit, the highest timestamp that was sent, its last voucher. A store that is behind it lost some: writes signed up to then are outcome_unknown (where the timestamp is not known, as after restore: for 5 minutes), and vouchers wait for voucher adopt. A store that is put back together with its mark, or without one, cannot be noticed: put back prepd.sqlite alone, or use restore.',
    ),
  ]
}

function flagItem({ flag, value, meaning }: Command['arguments'][number]): string[] {
  return item(value ? `${flag} ${value.shown}` : flag, meaning)
}

function item(name: string, meaning: string): string[] {
  return ['.TP', `.B ${text(name)}`, text(meaning)]
}

function defaultOf({ default: fallback }: Setting): string {
  return typeof fallback === 'string' ? fallback : fallback.absent
}

/** A line of roff: escapes backslashes and dashes, and a control character at the beginning. */
function text(words: string): string {
  return words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('`', '')
    .replace(/^([.'])/, '\\&$1')
}
