import { AGENT_SETTINGS, FLAGS, SETTING_ROWS, type Setting } from '../../contract/settings.ts'
import { settingVariable } from '../../core/settings/sources.ts'
import type { Command } from '../command/command.ts'

/** Topics of the section on several instances, each with its text. */
const SEVERAL_INSTANCES: readonly (readonly [topic: string, meaning: string])[] = [
  [
    'Setup',
    'Instances with the same PREPD_POSTGRES and PREPD_VALKEY are one service. Each signed write is sent at most once, and a caller has one rate limit for all instances. Several instances need a live venue, or the simulated exchange of another prepd (PREPD_VENUE_LISTEN).',
  ],
  [
    'Restart',
    'Restart one instance at a time. Continue when /readyz of the restarted instance says ready. After SIGTERM, /readyz says that the instance is not ready. For PREPD_STOP_GRACE seconds the instance still answers requests, and closes each connection after the answer. Then it closes the listener. SIGINT skips the grace period.',
  ],
  [
    'PostgreSQL',
    'PostgreSQL holds the durable records. Give it a synchronous standby. While PostgreSQL is unreachable, reads continue, and all writes except cancels fail with store_unavailable. /readyz names an unreachable PostgreSQL or Valkey, and the command config check tests both.',
  ],
  [
    'Valkey or Redis',
    'Valkey holds state that may be lost. While Valkey is unreachable, each instance counts rate limits by itself.',
  ],
  [
    'Live data',
    'One instance, the leader, subscribes to the public live data of a live venue. It passes the messages to the other instances through Valkey. If the leader stops, another instance takes over at once. If the leader crashes, another instance takes over within 5 seconds. Subscribers then get new snapshots. While Valkey is unreachable, each instance subscribes by itself. The metric prepd_engine_feed shows the role of an instance.',
  ],
  [
    'Claims',
    'A claim is the record that a signed write is about to be sent. PostgreSQL has the claims in 16 partitions of one minute each. prepd truncates an expired partition as a whole, so claims need no vacuum.',
  ],
  [
    'Fencing',
    'A replaced primary of PostgreSQL must not accept writes. Every second, each instance compares its database with the databases of the other instances. It compares the timeline of PostgreSQL and the id of the deployment (database, venue, broker), which the instances keep in Valkey. If the database is behind, the instance tries the other hosts of PREPD_POSTGRES. If all hosts are behind, PostgreSQL is fenced: all writes except cancels fail with store_unavailable, /readyz gives the reason, and the metric prepd_engine_fenced is 1.',
  ],
  [
    'Leases',
    'A lease of Valkey permits an instance to write for 3 seconds. An instance needs leases if another server may replace its PostgreSQL: if PREPD_POSTGRES names several hosts, or if an instance has ever seen a standby. Leases are not needed if each commit waits for every standby. An instance that cannot reach Valkey stops writing when its last lease ends. An instance that starts while Valkey is unreachable is ready only when Valkey answers.',
  ],
  [
    'Promotion',
    'After a promotion, the instances write again when the leases for the old primary have ended, within 3 seconds. Writes signed before that moment are outcome_unknown. If Valkey is unreachable or was emptied, writes are outcome_unknown for 5 minutes after the promotion. Only Valkey knows which writes were sent with a timestamp ahead of the time.',
  ],
  [
    'Failover by hand, step 1',
    'Stop the old primary. Make sure that it cannot start again: switch its machine off, or mask its service.',
  ],
  ['Step 2', 'Promote the standby with pg_promote().'],
  ['Step 3', 'Wait until /readyz of every instance reports no problem of PostgreSQL or Valkey.'],
  [
    'Step 4',
    'Make the old primary a standby of the new one with pg_rewind before you start it again.',
  ],
  [
    'Failover by another program',
    'If another program fences a replaced primary, such as Patroni with a watchdog, set PREPD_POSTGRES_FENCING=operator. The instances then write without leases.',
  ],
  [
    'Earlier copy of the database',
    'If you put back an earlier copy of the database, the running instances and Valkey detect the copy. Writes signed before the detection are then outcome_unknown. Writes with a later timestamp are outcome_unknown if they may have been sent already. Vouchers pause until you run voucher adopt. prepd signs new vouchers after all lost vouchers have expired. If the database has every voucher, run voucher adopt --complete.',
  ],
  [
    'New database',
    'A new database is a new deployment. It replaces the previous deployment 10 minutes after the last instance of the previous deployment has stopped. To replace the previous deployment at once, run DEL prepd:database in Valkey.',
  ],
  [
    'Connections',
    'Each instance opens at most PREPD_POSTGRES_CONNECTIONS connections to PostgreSQL: a fifth for vouchers, a fifth for other queries, and the rest for claims of writes. One account may use half of the free connections for claims: by default, two orders at once. An idle instance keeps two connections, and an instance is ready only if it can open two. If PostgreSQL has no free connection, calls wait, and fail with store_unavailable at their deadline. Set max_connections of PostgreSQL to at least PREPD_POSTGRES_CONNECTIONS + 1 for each instance. The command config check compares both settings.',
  ],
  [
    'Pooler',
    'Name PostgreSQL itself in PREPD_POSTGRES. prepd refuses a pooler such as PgBouncer at the start, because a pooler does not pass on the timeouts and prepared statements of a connection.',
  ],
  [
    'Voucher keys',
    'All instances have the same voucher key. During a rotation they have two: the new key, and the previous key on the second line. An instance starts only if one of its keys is the key of the running instances. Otherwise two keys would sign for one deposit.',
  ],
  [
    'Rotation of the voucher key',
    'Run prepd --mode admin rotate voucher FILE. When FILE is in place, restart one instance at a time. The instances sign with the previous key until all of them have both keys, and then with the new key. Vouchers of the previous key are valid until you remove the second line. A killed instance is forgotten after 10 seconds.',
  ],
]

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
    ...SEVERAL_INSTANCES.flatMap(([topic, meaning]) => item(topic, meaning)),
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

/** A text as one line of roff, with escaped backslashes and dashes. A leading control character is escaped too. */
function text(words: string): string {
  return words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('`', '')
    .replace(/^([.'])/, '\\&$1')
}
