import { METRICS } from '../../src/contract/operator/metrics.ts'
import { SETTING_ROWS, type SettingName } from '../../src/contract/settings.ts'
import { settingVariable } from '../../src/core/settings/sources.ts'
import { namesIn, section, table } from './markdown.ts'

/** The tables of the operations reference. */
export function operationsTables(): string[] {
  return [
    section('Ports', `${PORTS}\n\n${portTable()}\n\n${OUTGOING}\n\n${outgoingTable()}`),
    section('Files of a data directory', `${FILES}\n\n${fileTable()}`),
    section('Sizes', `${SIZES}\n\n${sizeTable()}`),
    section('Metrics', `${METRIC_TEXT}\n\n${metricTable()}`),
  ]
}

const PORTS = 'Listeners:'
const OUTGOING =
  'Outgoing connections. The server connects only to the servers that these settings name. It sends no telemetry.'

/** Each listener: its setting, what it serves, who reaches it. */
const LISTENERS = [
  [
    'LISTEN',
    'Public API, pages, `/mcp`, live data. HTTP, or HTTPS with `PREPD_TLS_CERT`.',
    'Clients, through the proxy',
  ],
  [
    'OPS_LISTEN',
    '`/healthz`, `/readyz`, `/metrics`, console.',
    'Only the operator. Keep it on a local address',
  ],
  [
    'VENUE_LISTEN',
    'The venue’s wire protocol, from the simulated exchange.',
    'Programs under test',
  ],
] as const satisfies readonly (readonly [SettingName, string, string])[]

const SERVERS = [
  ['VENUE', 'The live venue.', 'HTTPS'],
  ['PAPER_OF', 'With `PREPD_VENUE=paper`: the live venue. prepd only reads from it.', 'HTTPS'],
  ['VENUE_VAULTS', 'The host of the venue’s strategy vaults.', 'HTTPS'],
  ['VENUE_STREAM', 'Live data of the venue.', 'WSS'],
  ['VENUE_STREAM_PRIVATE', 'Private live data of the venue.', 'WSS'],
  ['POSTGRES', 'Records that instances share.', '5432 by default'],
  ['VALKEY', 'Rate limits and cached answers that instances share.', '6379 by default'],
  ['SWAP', 'The swap provider.', 'HTTPS'],
  ['VOUCHER', 'The chain endpoints and remote signers that the file names.', 'HTTPS'],
  [
    'NOTIFY',
    'The targets of notices that the file names: webhook, ntfy, mail, chat.',
    'HTTPS, SMTP',
  ],
  ['WEBHOOKS', 'Webhooks of users, at public addresses.', 'HTTPS, port 443'],
  ['BACKUP', 'The bucket that the file names, unless it names a folder.', 'HTTPS'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'The collector of traces.', 'HTTP or HTTPS'],
] as const satisfies readonly (readonly [SettingName, string, string])[]

function portTable(): string {
  const rows = LISTENERS.map(([name, serves, who]) => [
    `\`${settingVariable(name)}\``,
    fallback(name),
    serves,
    who,
  ])
  return table(['Setting', 'Default', 'Serves', 'Reached by'], rows)
}

function outgoingTable(): string {
  const rows = SERVERS.map(([name, server, port]) => [`\`${settingVariable(name)}\``, server, port])
  return table(['Setting', 'Server', 'Protocol and port'], rows)
}

function fallback(name: SettingName): string {
  const value = SETTING_ROWS.find((row) => row.name === name)?.default
  return typeof value === 'string' ? `\`${value}\`` : (value?.absent ?? '')
}

const FILES =
  'Only the owner can read the files (mode 0600). Without PostgreSQL, a backup contains everything that must be kept. Never copy the files while prepd runs.'

const FILE_ROWS = [
  [
    '`prepd.sqlite`, with `-wal` and `-shm` while it runs',
    'The store: claims of writes, nonces, accepted keys, mandates, freezes, webhooks, approvals, vouchers, journals, rate limits, cached answers',
    'Yes',
  ],
  [
    '`venue.sqlite`, with `-wal` and `-shm` while it runs',
    'The world of the simulated exchange',
    'Yes, if the world should continue',
  ],
  [
    '`prepd.notices.sqlite`, with `-wal` and `-shm` while it runs',
    'With `PREPD_NOTIFY`: undelivered notices, and the times of the last starts',
    'No',
  ],
  [
    '`prepd.mark`',
    'The number of the store’s last commit. With it prepd detects a lost store or lost commits',
    'No: a restore makes a new one',
  ],
  [
    '`postgres-`16 hex digits`.mark`',
    'With `PREPD_POSTGRES`: the number of the last commit that this instance saw. With it prepd detects lost commits of the database. One file per venue and broker id',
    'Yes',
  ],
  [
    '`prepd.logkey`',
    'The secret key with which prepd turns account ids into the account tags of the log',
    'Yes, to compare tags with those of old logs',
  ],
  ['`prepd.lock`, `prepd.lock-journal`', 'Locks of the process that uses the directory', 'No'],
  ['`prepd.backup`, `prepd.drill`', 'The times of the last backup and of the last drill', 'No'],
  [
    '`prepd.sqlite.version-N`',
    'A copy of the store from before an upgrade. Delete it when you trust the new version',
    'No',
  ],
  ['`agent-orders.db`', 'Claims of the orders of an agent over stdio, and its journal', 'Yes'],
] as const

function fileTable(): string {
  return table(['File', 'Content', 'Must be kept'], FILE_ROWS)
}

const SIZES =
  'Approximate sizes, to plan memory and disk. The [benchmark](benchmark.md) has the measured figures.'

const SIZE_ROWS = [
  ['Executable', '130 MB on the disk', ''],
  ['Memory in front of a live venue', '63 MB', 'At most 118 MB during ten million requests'],
  [
    'Memory with the simulated exchange',
    '93 MB at the start',
    'About 131 MB after some hundreds of orders',
  ],
  ['New data directory', '0.3 MB', ''],
  [
    'Written to the disk per relayed write',
    '4.3 kB',
    'At one write per second: 375 MB per day. The space is reused',
  ],
  [
    'Growth of the store per relayed write',
    '0.09 kB',
    'Expired claims are deleted, and their space is used again',
  ],
  ['Growth of `venue.sqlite` per relayed write', '0.26 kB', 'Only with the simulated exchange'],
  [
    'Write-ahead logs of `prepd.sqlite` and `venue.sqlite` while prepd runs',
    '3.3 to 4.1 MB each',
    'Merged into the database files when prepd stops',
  ],
  ['Written to the disk per answer that is loaded into the cache', '0.5 kB', ''],
  [
    'One line of the log per request',
    '0.25 kB',
    'At one request per second: 21 MB per day. `PREPD_LOG_REQUESTS` limits the lines per second',
  ],
  ['Free space to make a backup', 'About four times the store', ''],
] as const

function sizeTable(): string {
  return table(['Data', 'Size', 'Note'], SIZE_ROWS)
}

const METRIC_TEXT = `\`GET /metrics\` of \`PREPD_OPS_LISTEN\` returns these metrics in the text format of Prometheus. Each name ends in its unit.
\`config/alerts.rules.yml\` has alert rules, and \`config/dashboard.json\` is a Grafana dashboard.`

function metricTable(): string {
  const rows = namesIn(METRICS).map((name) => {
    const { type, labels, help } = METRICS[name]
    return [`\`${name}\``, type, labels.map((label) => `\`${label}\``).join(' '), help]
  })
  return table(['Metric', 'Kind', 'Labels', 'Meaning'], rows)
}
