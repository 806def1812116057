import { STREAM_LIMITS } from '../../contract/stream/limits.ts'
import {
  isStreamName,
  STREAMS,
  type StreamName,
  topicTemplate,
} from '../../contract/stream/topics.ts'

const STYLES = `<link rel="stylesheet" href="/swagger/style.css">
<link rel="stylesheet" href="/swagger/page.css">`

function navigation(current: 'endpoints' | 'streams'): string {
  const link = (name: typeof current, path: string, text: string) =>
    `<a href="${path}"${name === current ? ' aria-current="page"' : ''}>${text}</a>`
  return `<nav aria-label="Reference">${link('endpoints', '/swagger', 'Endpoints and guides')} ${link('streams', '/swagger/streams', 'Live data')} <a href="/swagger/json">OpenAPI</a> <a href="/swagger/streams.json">AsyncAPI</a> <a href="/docs">Documents</a></nav>`
}

/** Descriptions of the message kinds. */
const KINDS = {
  replaced: 'each is the whole state',
  fields: 'a snapshot, then the fields of rows that changed',
  book: 'a snapshot, then levels that changed; a quantity of 0 removes one',
  rows: 'a snapshot, then rows that replace or follow others',
  events: 'the last events, then each as it happens',
  account: 'the reads to make, then rows as they change; needs auth',
} as const

/** The reference page: guides and endpoints. */
export const REFERENCE_PAGE = htmlPage(
  'API reference',
  STYLES,
  `${navigation('endpoints')}
<main id="swagger-ui"></main>
<script src="/swagger/bundle.js"></script>
<script src="/swagger/start.js"></script>`,
)

/** The live data page. It lists the topics and has a form to try a subscription. */
export function streamsPage(): string {
  return htmlPage(
    'Live data',
    STYLES,
    `${navigation('streams')}
<main class="streams swagger-ui">
<h1>Live data</h1>
<p>A WebSocket at <code>/api/prep/ws</code>, or the same messages as server-sent events at <code>/api/prep/stream?topics=…</code>. Every topic begins with a snapshot; <code>seq</code> rises by one a message. Who comes back within ${STREAM_LIMITS.ringMs / 1000} s gives <code>since</code> and gets what was missed.</p>
<section aria-label="Try it">
<h2>Try it</h2>
<form id="form">
<label>Topic <select id="topic">${publicTopics()
      .map((name) => `<option>${topicTemplate(name)}</option>`)
      .join('')}</select></label>
<label>Symbol <input id="symbol" value="PERP_BTC_USDC" maxlength="40"></label>
<label>Interval <select id="interval"><option>1m</option><option>1h</option></select></label>
<button id="subscribe" class="btn">Subscribe</button>
<output id="state">Not connected.</output>
</form>
<pre id="asked" aria-label="Sent"></pre>
<ol id="messages" aria-label="Messages"></ol>
</section>
<h2>Topics</h2>
<div class="wide">
<table>
<thead><tr><th>Topic</th><th>What it is</th><th>At most every</th><th>Messages</th><th>Fields of</th></tr></thead>
<tbody>
${Object.keys(STREAMS).filter(isStreamName).map(topicRow).join('\n')}
</tbody>
</table>
</div>
</main>
<script src="/swagger/streams.js"></script>`,
  )
}

function publicTopics(): readonly StreamName[] {
  return Object.keys(STREAMS)
    .filter(isStreamName)
    .filter((name) => STREAMS[name].kind !== 'account')
}

function topicRow(name: StreamName): string {
  const { summary, kind, intervalMs, reads } = STREAMS[name]
  const every = intervalMs === 0 ? 'at once' : `${intervalMs / 1000} s`
  return `<tr><td><code>${topicTemplate(name)}</code></td><td>${summary}</td><td>${every}</td><td>${KINDS[kind]}</td><td><code>${reads.join(' ')}</code></td></tr>`
}

/** Styles of both pages, in addition to the styles of the reference UI. */
export const PAGE_STYLE = `body { margin: 0; font-family: system-ui, sans-serif; background: light-dark(#fff, #1c2022); color: light-dark(#1b2733, #e4e6e6) }
nav { display: flex; flex-wrap: wrap; gap: 4px 18px; padding: 10px 20px; border-bottom: 1px solid light-dark(#d9dfe5, #3a4146) }
nav a { color: light-dark(#1a56c4, #7caaf8) }
nav [aria-current] { font-weight: 700; text-decoration: none }
.swagger-ui .info { margin: 16px 0 }
.swagger-ui .scheme-container { display: none }
.streams #subscribe { color: inherit; border-color: currentColor }
.streams #symbol { padding: 5px 8px }
.streams { max-width: 1100px; margin: 0 auto; padding: 8px 20px 40px }
.streams h1, .streams h2, .streams p, .streams label, .streams td, .streams th { color: inherit }
.streams .wide { overflow-x: auto }
.streams table { border-collapse: collapse; width: 100% }
.streams td, .streams th { text-align: left; padding: 6px 10px; border-bottom: 1px solid light-dark(#d9dfe5, #3a4146) }
#form { display: flex; flex-wrap: wrap; align-items: end; gap: 10px }
#form label { display: flex; flex-direction: column; margin: 0 }
#messages { height: 320px; overflow-y: auto; padding: 8px; margin: 8px 0; list-style: none; border: 1px solid light-dark(#d9dfe5, #3a4146) }
#messages li { font: 12px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; margin-bottom: 6px }
#asked:empty { display: none }
@media (min-width: 1100px) {
  .swagger-ui > div:has(> .information-container) { display: grid; grid-template-columns: minmax(0, 1fr) 420px; align-items: start; padding: 0 12px }
  .swagger-ui > div:has(> .information-container) > * { grid-column: 1; width: 100%; max-width: none; padding: 0 12px }
  .swagger-ui > div > .information-container { grid-column: 2; grid-row: 1 / span 20; position: sticky; top: 0; max-height: 100vh; overflow-y: auto }
}
@media (max-width: 1099px) {
  .swagger-ui > div:has(> .information-container) { display: flex; flex-direction: column }
  .swagger-ui > div > .information-container { order: 1 }
}
`

/** The script of the form. It shows the latest messages once each, newest first. */
export const STREAMS_SCRIPT = `const element = (id) => document.getElementById(id)
const SHOWN_MAX = 20
const TEXT_MAX = 2000
let socket = null
const topicNow = () => element('topic').value
  .replace('{symbol}', element('symbol').value.trim()).replace('{interval}', element('interval').value)
const say = (text) => { element('state').textContent = text }
const show = ({ data }) => {
  const row = document.createElement('li')
  row.textContent = data.length > TEXT_MAX ? data.slice(0, TEXT_MAX) + ' … (' + data.length + ' characters)' : data
  element('messages').prepend(row)
  while (element('messages').children.length > SHOWN_MAX) element('messages').lastChild.remove()
}
const stop = () => {
  const open = socket
  socket = null
  open?.close()
  element('subscribe').textContent = 'Subscribe'
}
element('form').addEventListener('submit', (event) => {
  event.preventDefault()
  if (socket) { stop(); say('Unsubscribed.'); return }
  const text = JSON.stringify({ op: 'subscribe', topics: [topicNow()] })
  element('asked').textContent = text
  element('messages').replaceChildren()
  say('Connecting…')
  element('subscribe').textContent = 'Unsubscribe'
  const own = new WebSocket(location.origin.replace(/^http/, 'ws') + '/api/prep/ws')
  socket = own
  own.onopen = () => { say('Subscribed to ' + topicNow() + '.'); own.send(text) }
  own.onmessage = (message) => { if (socket === own) show(message) }
  own.onclose = () => { if (socket === own) { stop(); say('The connection ended.') } }
})
const toggle = () => {
  element('symbol').disabled = !element('topic').value.includes('{symbol}')
  element('interval').disabled = !element('topic').value.includes('{interval}')
}
element('topic').addEventListener('change', toggle)
toggle()
const dark = matchMedia('(prefers-color-scheme: dark)')
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', paint)
paint()
`

/** A reference UI plugin that disables "Execute" for routes whose answer never ends. */
export const DISABLE_ENDLESS_ROUTES = `{ statePlugins: { spec: { wrapSelectors: {
    allowTryItOutFor: (original) => (state, path, method) =>
      !['/api/prep/ws', '/api/prep/stream'].includes(path) && original(state, path, method),
  } } } }`

/** An HTML page that loads only from this server, so that it works offline. `head` contains its styles. */
export function htmlPage(title: string, head: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${Bun.escapeHTML(title)}</title>
<link rel="icon" href="/swagger/favicon.svg">
${head}
</head>
<body>
${body}
</body>
</html>
`
}
