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
    section('Reasons', `\`meta.reason\` of a failure.\n\n${reasonTable('all')}`),
  ]
}

const READINESS = '`missing` of `/readyz`, with status 503:'
const DEGRADED =
  '`degraded` of `/readyz`: the server takes requests. `reasons` has a sentence for each name; for `postgres` and `valkey` it may be absent. `backup` has two causes.'
const NOTICES =
  'Sent to the targets of `PREPD_NOTIFY`, and shown on the console. `page` is sent in quiet hours too.'
const LOG =
  'Each line on stderr is JSON with `time`, `level`, `event` and fields. No line has a signature, body or key.'

function missingTable(): string {
  return table(
    ['`missing`', 'Cause', 'Next step'],
    [
      [
        '`stopping`',
        'SIGTERM arrived. Requests in flight are finished.',
        'Send requests to another instance.',
      ],
      [
        '`store: …`',
        'The store takes no records. The text is SQLite’s code, the state of PostgreSQL, or that records were lost.',
        'For `SQLITE_FULL` make room; for `SQLITE_CORRUPT` or `SQLITE_NOTADB` [restore a backup](backups.md); for lost records see above.',
      ],
      [
        '`venue: …`',
        'The venue does not answer; the text is the code of the failure.',
        'Look for `upstream_failed` in the log, and at the status of the venue.',
      ],
    ],
  )
}

function degradedTable(): string {
  const engines = ['postgres', 'valkey'].map((name) => [
    `\`${name}\``,
    NOTICE_CONDITIONS.engine_away.title,
    NOTICE_CONDITIONS.engine_away.action,
  ])
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
