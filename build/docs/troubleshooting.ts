import { LOG_EVENTS } from '../../src/contract/operator/log-events.ts'
import { NOTICE_CONDITIONS, type NoticeCondition } from '../../src/operator/notify/conditions.ts'
import { failureTable, reasonTable } from './failure-tables.ts'
import { namesIn, section, table } from './markdown.ts'

/** The tables of the page of troubleshooting: what a server or an answer can say, each with its cause and next step. */
export function troubleshootingTables(): string[] {
  return [
    section('Readiness', `${READINESS}\n\n${missingTable()}\n\n${DEGRADED}\n\n${degradedTable()}`),
    section('Notices', `${NOTICES}\n\n${noticeTable()}`),
    section('Log events', `${LOG}\n\n${logTable()}`),
    section('Failures', failureTable('all')),
    section(
      'Reasons',
      `A failure can have one of these reasons in \`meta.reason\`.\n\n${reasonTable('all')}`,
    ),
  ]
}

const READINESS = '`missing` of `/readyz`, with status 503:'
const DEGRADED =
  '`degraded` of `/readyz`: the server accepts requests, but a part needs attention. `reasons` has a sentence for most names.'
const NOTICES =
  'prepd sends notices to the targets of `PREPD_NOTIFY`, and shows them on the console. Notices of level `page` are also sent in quiet hours.'
const LOG =
  'Each line on stderr is JSON with `time`, `level`, `event` and further fields. No line contains a signature, a body or a key.'

function missingTable(): string {
  return table(
    ['`missing`', 'Cause', 'Next step'],
    [
      [
        '`stopping`',
        'prepd got SIGTERM, and finishes requests in flight.',
        'Send requests to another instance.',
      ],
      [
        '`store: …`',
        'The store accepts no records. The text is the error code of SQLite or the state of PostgreSQL, or says that records were lost. `timeout`: the store did not answer within 5 seconds.',
        '`SQLITE_FULL`: make room on the disk. `SQLITE_CORRUPT`, `SQLITE_NOTADB`: [restore a backup](backups.md). `timeout`: look at the disk, or at PostgreSQL. Lost records: see "The store is missing after a restart".',
      ],
      [
        '`venue: …`',
        'The venue does not answer. The text is the code of the failure.',
        'Look for `upstream_failed` in the log, and at the status of the venue.',
      ],
    ],
  )
}

function degradedTable(): string {
  const { action: next } = NOTICE_CONDITIONS.engine_away
  const engines = [
    ['`postgres`', 'PostgreSQL does not answer: of the writes, only cancels are sent.', next],
    ['`valkey`', 'Valkey does not answer: each instance counts rate limits separately.', next],
  ]
  const rows = conditions().flatMap(([, { degrades, title, action }]) =>
    degrades ? [[`\`${degrades}\``, title, action]] : [],
  )
  return table(['Name', 'Cause', 'Next step'], [...engines, ...rows])
}

function noticeTable(): string {
  const rows = conditions()
    .filter(([, { forMs }]) => forMs !== null)
    .map(([name, { level, title, action }]) => [`\`${name}\``, level, title, action])
  return table(['Notice', 'Level', 'Cause', 'Next step'], rows)
}

function logTable(): string {
  const rows = namesIn(LOG_EVENTS)
    .toSorted()
    .map((name) => [
      `\`${name}\``,
      LOG_EVENTS[name].cause,
      LOG_EVENTS[name].next ?? 'Nothing to do.',
    ])
  return table(['Event', 'Cause', 'Next step'], rows)
}

function conditions(): (readonly [string, NoticeCondition])[] {
  return Object.entries<NoticeCondition>(NOTICE_CONDITIONS)
}
