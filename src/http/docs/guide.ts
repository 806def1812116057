import freezeNode from '../../../config/samples/freeze.mjs' with { type: 'text' }
import freezePython from '../../../config/samples/freeze.py' with { type: 'text' }
import node from '../../../config/samples/sign.mjs' with { type: 'text' }
import python from '../../../config/samples/sign.py' with { type: 'text' }
import shell from '../../../config/samples/sign.sh' with { type: 'text' }
import standbyNode from '../../../config/samples/standby.mjs' with { type: 'text' }
import standbyPython from '../../../config/samples/standby.py' with { type: 'text' }
import { FAILURES, type FailureCode, type FailureRow } from '../../contract/failures.ts'
import { REPLAY_HEADER } from '../../contract/headers.ts'
import { LIMITS, POLICIES, type Policy } from '../../contract/limits.ts'

/** The guide above the endpoints of the reference page, in Markdown: signing, limits, caching, live data, agents. */
export function guideText(): string {
  return [
    'Perpetual futures: public market data, account creation and a signed relay.',
    SIGNING,
    samplesText(),
    LIMITS_TEXT(),
    CACHING,
    FAILURES_TEXT,
    LIVE_TEXT,
    AGENTS,
  ].join('\n\n')
}

const SIGNING = `## Signing

Reads below *market* and *catalogue* need nothing. Everything private goes through \`POST /api/prep/relay\`: \`method\`, \`path\` with its query, \`body\`, and \`auth\`. The signature is Ed25519 over the text

\`timestamp + method + path + body\`

in base64url, with the timestamp in milliseconds, at most ${LIMITS.signatureAgeMaxMs / 60_000} minutes old. It is forwarded byte for byte: sign the body as you send it. A write is sent at most once; the same bytes again get the first answer, with \`${REPLAY_HEADER}: true\`.

To get there: \`GET /api/prep/registration-nonce\`, \`POST /api/prep/typed-data\`, sign it with the wallet (EIP-712), \`POST /api/prep/register\`, and the same again for \`/api/prep/trading-key\`.`

function LIMITS_TEXT(): string {
  const rows = Object.entries<Policy>(POLICIES).map(
    ([name, { requests, seconds, burst }]) =>
      `| \`${name}\` | ${requests} in ${seconds} s | ${burst} |`,
  )
  return [
    '## Limits',
    '',
    'Every answer that counts says `ratelimit` and `ratelimit-policy`; a refusal is 429 with `retry-after`. Unless the operator has set others:',
    '',
    '| Policy | Requests | At once |',
    '| --- | --- | --- |',
    ...rows,
  ].join('\n')
}

const CACHING = `## Caching

Public reads say how old they are: \`age\`, \`cache-control\`, \`cache-status\`, and from 1 kB on an \`etag\` that \`if-none-match\` answers with 304. Private answers are \`no-store\`.`

const FAILURES_TEXT = `## Failures

\`{code, error, meta?}\`, with one of ${Object.keys(FAILURES).length} codes; \`error\` is a sentence for people, \`meta\` is for programs. \`GET /api/prep/catalogue\` lists them all, and whether the same call may be sent again.`

const LIVE_TEXT = `## Live data

\`GET /api/prep/ws\` is a WebSocket, \`GET /api/prep/stream\` the same as server-sent events. [/swagger/streams](/swagger/streams) lists the topics and subscribes to them; [/swagger/streams.json](/swagger/streams.json) describes the messages (AsyncAPI 3).`

const AGENTS = `## Agents

\`POST /mcp\` offers the same as tools over the Model Context Protocol: JSON-RPC 2.0, one request and one answer. \`tools/list\` says what there is.`

/** A sample program. The page shows it, and it is also served under its file name. */
type Sample = { readonly title: string; readonly language: string; readonly text: string }

/** Path under which the samples are served. */
export const SAMPLES_PATH = '/swagger/samples/'

/** The samples by file name. */
export const SAMPLES: ReadonlyMap<string, Sample> = new Map([
  ['sign.mjs', { title: 'Node.js alone', language: 'js', text: node }],
  ['sign.py', { title: 'Python and one package', language: 'python', text: python }],
  ['sign.sh', { title: 'bash, openssl and curl', language: 'bash', text: shell }],
  ['standby.mjs', { title: 'A dead man’s switch, Node.js', language: 'js', text: standbyNode }],
  ['standby.py', { title: 'A dead man’s switch, Python', language: 'python', text: standbyPython }],
  [
    'freeze.mjs',
    { title: 'A stop until the wallet lifts it, Node.js', language: 'js', text: freezeNode },
  ],
  [
    'freeze.py',
    { title: 'A stop until the wallet lifts it, Python', language: 'python', text: freezePython },
  ],
])

/** The samples in Markdown, each collapsed under its title. */
function samplesText(): string {
  return [
    'Complete programs, folded below. Some order and cancel, two have their orders cancelled when they fall silent, and two freeze an account. Run each with the base URL as its argument:',
    ...[...SAMPLES].map(([file, { title, language, text }]) =>
      [
        `<details><summary>${title}: <a href="${SAMPLES_PATH}${file}">${file}</a></summary>`,
        '',
        `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``,
        '',
        '</details>',
      ].join('\n'),
    ),
  ].join('\n\n')
}

/** Failures that any route can answer. */
export const COMMON_FAILURES: readonly FailureCode[] = [
  'invalid_request',
  'rate_limited',
  'internal',
]

/** One response reference per status. Several codes may share a status. */
export function failureReferences(codes: readonly FailureCode[]) {
  const statuses = new Set(codes.map((code) => FAILURES[code].status))
  const rows = [...statuses].map((status) => [
    status,
    { $ref: `#/components/responses/${responseName(status)}` },
  ])
  return Object.fromEntries([...rows, ['default', { $ref: '#/components/responses/Failure' }]])
}

/** One response per status, with an example body of every code that has it. */
export function failureResponses() {
  const statuses = new Set(Object.values(FAILURES).map(({ status }) => status))
  const rows = [...statuses].map((status) => {
    const codes = failureRows(status)
    const description = codes.map(([code, { error }]) => `${code}: ${error}`).join(' ')
    return [responseName(status), { description, content: failureContent(codes) }]
  })
  const any = { description: 'Any other failure of the closed list.', content: failureContent([]) }
  return Object.fromEntries([...rows, ['Failure', any]])
}

function failureRows(status: number): [string, FailureRow][] {
  return Object.entries<FailureRow>(FAILURES).filter(([, row]) => row.status === status)
}

function failureContent(rows: readonly (readonly [string, FailureRow])[]) {
  const examples = Object.fromEntries(
    rows.map(([code, { error }]) => [code, { summary: code, value: exampleBody(code, error) }]),
  )
  return {
    'application/json': {
      schema: { $ref: '#/components/schemas/Failure' },
      ...(rows.length > 0 && { examples }),
    },
  }
}

/** Examples of `meta`, for codes whose failures always have it. */
const META_EXAMPLES: Partial<Record<string, Readonly<Record<string, string | number>>>> = {
  invalid_request: { parameter: 'symbol', reason: 'missing' },
  rate_limited: { retryAfterSeconds: 5 },
  method_not_allowed: { allow: 'POST' },
  not_available: { sentence: 'Maintenance until 14:00 UTC.' },
}

function exampleBody(code: string, error: string) {
  const meta = META_EXAMPLES[code]
  return { code, error, ...(meta && { meta }) }
}

function responseName(status: number): string {
  return `Failure${status}`
}
