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
  'Outgoing connections of the server, each only where its setting names a server. The server opens no other connections. It sends no telemetry.'

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
    'The operator alone: keep it local',
  ],
  [
    'VENUE_LISTEN',
    'The wire of the simulated exchange, for other programs.',
    'Programs under test',
  ],
] as const satisfies readonly (readonly [SettingName, string, string])[]

const SERVERS = [
  ['VENUE', 'The live venue.', 'HTTPS'],
  ['PAPER_OF', 'With `PREPD_VENUE=paper`: the live venue, which is only read.', 'HTTPS'],
  ['VENUE_VAULTS', 'The host of the venue’s strategy vaults.', 'HTTPS'],
  ['VENUE_STREAM', 'Live data of the venue.', 'WSS'],
  ['VENUE_STREAM_PRIVATE', 'Private live data of the venue.', 'WSS'],
  ['POSTGRES', 'Records that instances share.', '5432 by default'],
  ['VALKEY', 'Rate windows and kept answers that instances share.', '6379 by default'],
  ['SWAP', 'The swap provider.', 'HTTPS'],
  ['VOUCHER', 'Chain endpoints and remote signers of its file.', 'HTTPS'],
  ['NOTIFY', 'Targets of notices of its file: webhook, ntfy, mail, chat.', 'HTTPS, SMTP'],
  ['WEBHOOKS', 'Webhooks of users, at public addresses.', 'HTTPS, port 443'],
  ['BACKUP', 'The bucket of its file, where it is no folder.', 'HTTPS'],
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
  'All files are the owner’s alone (0600). A backup has everything that must be kept; never copy files of a running prepd.'

const FILE_ROWS = [
  [
    '`prepd.sqlite`, with `-wal` and `-shm` while it runs',
    'The store: claims, nonces, proofs, mandates, freezes, webhooks, approvals, vouchers, journals, rate windows, kept answers',
    'Yes',
  ],
  [
    '`venue.sqlite`, with `-wal` and `-shm` while it runs',
    'The world of the simulated exchange',
    'Yes, for a world that is to go on',
  ],
  [
    '`prepd.notices.sqlite`, with `-wal` and `-shm` while it runs',
    'With `PREPD_NOTIFY`: notices that wait, and starts of the process',
    'No',
  ],
  [
    '`prepd.mark`',
    'The number of the store’s last commit, by which a lost store or tail is noticed',
    'No: a restore makes it anew',
  ],
  [
    '`postgres-`16 hex digits`.mark`',
    'With `PREPD_POSTGRES`: the number of the last commit that this instance saw, by which lost commits of the database are noticed. One file for each venue and broker id',
    'Yes, as a witness that the database is complete',
  ],
  [
    '`prepd.logkey`',
    'The key that turns account ids into the tags of the log',
    'Yes, to compare tags of old logs',
  ],
  ['`prepd.lock`, `prepd.lock-journal`', 'Held by the one process that owns the directory', 'No'],
  ['`prepd.backup`, `prepd.drill`', 'The times of the last backup and of the last drill', 'No'],
  [
    '`prepd.sqlite.version-N`',
    'The store before an upgrade; may be deleted when the new version has proved itself',
    'No',
  ],
  ['`agent-orders.db`', 'Of an agent over stdio: claims of its orders, and its journal', 'Yes'],
] as const

function fileTable(): string {
  return table(['File', 'Holds', 'Must be kept'], FILE_ROWS)
}

const SIZES = `Approximate sizes for planning; sizes per day are calculated from them. The [benchmark](benchmark.md) has measured figures of memory
and disk.`

const SIZE_ROWS = [
  ['Executable', '130 MB on the disk', ''],
  ['Memory in front of a live venue', '63 MB', 'At most 118 MB within ten million requests'],
  [
    'Memory with the simulated exchange',
    '93 MB at the start',
    'About 131 MB after some hundreds of orders',
  ],
  ['New data directory', '0.3 MB', ''],
  [
    'Written to the disk per relayed write',
    '4.3 kB',
    'One write per second: 375 MB per day, in place',
  ],
  [
    'Growth of the store per relayed write',
    '0.09 kB',
    'Claims are removed after their signature has expired, and their space is used again',
  ],
  ['Growth of `venue.sqlite` per relayed write', '0.26 kB', 'The simulated exchange alone'],
  ['Write-ahead logs while it runs', '3.3 MB and 4.1 MB', 'Merged into the files at a stop'],
  ['Written to the disk per cached miss', '0.5 kB', ''],
  [
    'One line of the log per request',
    '0.25 kB',
    'One request per second: 21 MB per day. `PREPD_LOG_REQUESTS` bounds the lines per second',
  ],
  ['Free space for a backup', 'About four times the store', 'While it is made'],
] as const

function sizeTable(): string {
  return table(['Data', 'Size', 'Note'], SIZE_ROWS)
}

const METRIC_TEXT = `\`GET /metrics\` of \`PREPD_OPS_LISTEN\`, in the text format of Prometheus. The unit is the end of a name. \`config/alerts.rules.yml\` has
alert rules, \`config/dashboard.json\` a dashboard for Grafana.`

function metricTable(): string {
  const rows = namesIn(METRICS).map((name) => {
    const { type, labels, help } = METRICS[name]
    return [`\`${name}\``, type, labels.map((label) => `\`${label}\``).join(' '), help]
  })
  return table(['Metric', 'Kind', 'Labels', 'Meaning'], rows)
}
