import { AGENT_SETTINGS, FLAGS, SETTING_ROWS, type Setting } from '../../contract/settings.ts'
import { settingVariable } from '../../core/settings/sources.ts'
import type { Command } from '../command/command.ts'

const SEVERAL_INSTANCES = [
  'Instances with the same PREPD_POSTGRES and PREPD_VALKEY are one service: a write is sent at most once, and a caller has one rate window across all of them. They need a live venue, or the wire of another prepd (PREPD_VENUE_LISTEN).',
  'Restart one instance after the other, each when /readyz of the previous one says ready. After SIGTERM /readyz says no. For PREPD_STOP_GRACE seconds requests are still answered, each on a connection that then ends. Then the listener closes. SIGINT skips the grace period.',
  'PostgreSQL holds the durable records: give it a synchronous standby. Without PostgreSQL, reads continue, and all writes except cancels are store_unavailable. Valkey or Redis holds volatile state. Without Valkey, each instance counts for itself. /readyz names an unreachable engine; config check tests both.',
  'One instance subscribes to the public live data of a live venue, and feeds the others through Valkey. When it stops, another takes over at once; when it dies, within 5 seconds. Subscribers then get snapshots. Without Valkey each instance has its own subscription. prepd_engine_feed shows the role of an instance.',
  'Claims of signed writes are in PostgreSQL, in 16 partitions of one minute each. An expired partition is truncated as a whole, so that vacuum has no work.',
  'A replaced primary must not accept writes. Every second each instance compares the timeline of its PostgreSQL, and the id of its deployment (database, venue, broker), with those of its peers in Valkey. An instance whose server is behind tries the other hosts. If all are behind, all writes except cancels are store_unavailable, /readyz gives the reason, and prepd_engine_fenced is 1.',
  'A server needs leases from Valkey if it may have a successor: PREPD_POSTGRES names several hosts, or a standby was ever seen, and commits do not wait for every standby. An instance that cannot reach Valkey stops writing 3 seconds after its last lease. An instance that starts meanwhile is not ready until Valkey answers. After a promotion the leases of the old primary end first, which takes up to 3 seconds; writes signed until then are outcome_unknown.',
  'To fail over by hand: 1. Stop the old primary, and make sure that it cannot start again (its machine off, or its service masked). 2. Promote the standby with pg_promote(). 3. Wait until /readyz of every instance names no engine. 4. Make the old primary a standby of the new one with pg_rewind before it starts again. If another program fences, such as Patroni with a watchdog, set PREPD_POSTGRES_FENCING=operator: instances then write without Valkey. After a promotion without Valkey, or with an emptied Valkey, writes are outcome_unknown for 5 minutes, because only Valkey knows the sent timestamps that were ahead of the time.',
  'Running instances and Valkey notice a database that was put back to an earlier copy. Writes signed before, or with a timestamp that may have been sent before, are then outcome_unknown. Vouchers wait for voucher adopt: run it after you know every voucher signed since the copy. A new database replaces another deployment 10 minutes after its last instance, or at once after DEL prepd:database in Valkey.',
  'Each instance opens up to PREPD_POSTGRES_CONNECTIONS connections to PostgreSQL: a fifth for vouchers, a fifth for other queries, and the rest for claims of writes. One account may hold half of the free ones (two orders at once by default). An idle instance keeps two; it is ready only with two free ones. If the server has no free connection, calls wait, and are store_unavailable at their deadline. The command config check compares with max_connections: leave room for every instance, and for one more connection each. A pooler such as PgBouncer is refused at the start, because it does not pass on the timeouts and prepared statements of a connection. Name PostgreSQL itself.',
  'Every instance has the same voucher keys. An instance starts only if its key, or one of its two lines, is that of the living instances; otherwise two keys would sign for one deposit. prepd --mode admin rotate voucher FILE begins a rotation: with FILE in place restart the instances one after the other. They sign with the previous key until all have both keys, then with the new one. Vouchers of the previous key are valid until its line is removed. A killed instance is forgotten after 10 seconds.',
] as const

/** The manual page prepd(1) of a version in roff, made from the tables of flags, settings and commands. */
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
      item(settingVariable(row.name), `${row.meaning} Default: ${defaultText(row)}.`),
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
      'The store of version N, copied before a later prepd migrated it.',
    ),
    ...item(
      'prepd.mark',
      'Beside it: its last commit, the highest timestamp that was sent, its last voucher. A store behind its mark has lost commits. Writes signed up to then are outcome_unknown (after restore: for 5 minutes), and vouchers wait for voucher adopt. prepd cannot notice a store that was put back together with its mark, or without one: put back prepd.sqlite alone, or use restore.',
    ),
  ]
}

function flagItem({ flag, value, meaning }: Command['arguments'][number]): string[] {
  return item(value ? `${flag} ${value.shown}` : flag, meaning)
}

function item(name: string, meaning: string): string[] {
  return ['.TP', `.B ${text(name)}`, text(meaning)]
}

function defaultText({ default: fallback }: Setting): string {
  return typeof fallback === 'string' ? fallback : fallback.absent
}

/** A text as one line of roff: escapes backslashes and dashes, and a control character at the beginning. */
function text(words: string): string {
  return words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('`', '')
    .replace(/^([.'])/, '\\&$1')
}
