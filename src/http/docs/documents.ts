import changes from '../../../CHANGELOG.md' with { type: 'text' }
import agents from '../../../config/reference/agents.md' with { type: 'text' }
import backups from '../../../config/reference/backups.md' with { type: 'text' }
import benchmark from '../../../config/reference/benchmark.md' with { type: 'text' }
import choices from '../../../config/reference/choices.md' with { type: 'text' }
import dependencies from '../../../config/reference/dependencies.md' with { type: 'text' }
import evaluations from '../../../config/reference/evaluations.md' with { type: 'text' }
import liveData from '../../../config/reference/live-data.md' with { type: 'text' }
import market from '../../../config/reference/market.md' with { type: 'text' }
import operations from '../../../config/reference/operations.md' with { type: 'text' }
import paper from '../../../config/reference/paper.md' with { type: 'text' }
import releases from '../../../config/reference/releases.md' with { type: 'text' }
import routes from '../../../config/reference/routes.md' with { type: 'text' }
import settings from '../../../config/reference/settings.md' with { type: 'text' }
import severalInstances from '../../../config/reference/several-instances.md' with { type: 'text' }
import signedCall from '../../../config/reference/signed-call.md' with { type: 'text' }
import tapes from '../../../config/reference/tapes.md' with { type: 'text' }
import troubleshooting from '../../../config/reference/troubleshooting.md' with { type: 'text' }
import upgrading from '../../../config/reference/upgrading.md' with { type: 'text' }
import webhooks from '../../../config/reference/webhooks.md' with { type: 'text' }
import readme from '../../../README.md' with { type: 'text' }
import security from '../../../SECURITY.md' with { type: 'text' }
import { once } from '../../core/loop/once.ts'
import { documentSections, type SearchHit, searchSections } from './document-search.ts'
import { htmlPage } from './pages.ts'

/** The Markdown documents of this version, by their name in the URL. */
const TEXTS: ReadonlyMap<string, string> = new Map([
  ['README', readme],
  ['CHANGELOG', changes],
  ['SECURITY', security],
  ['agents', agents],
  ['backups', backups],
  ['benchmark', benchmark],
  ['choices', choices],
  ['dependencies', dependencies],
  ['evaluations', evaluations],
  ['live-data', liveData],
  ['market', market],
  ['operations', operations],
  ['paper', paper],
  ['releases', releases],
  ['routes', routes],
  ['settings', settings],
  ['several-instances', severalInstances],
  ['signed-call', signedCall],
  ['tapes', tapes],
  ['troubleshooting', troubleshooting],
  ['upgrading', upgrading],
  ['webhooks', webhooks],
])

/** Path under which the documents are served. */
export const DOCUMENTS_PATH = '/docs'

/** Maximum length of a search. */
export const SEARCH_MAX_CHARS = 100

const IMAGE = /!\[[^[\]]*\]\([^()]*\)/g
const LINK = /\[([^[\]]*)\]\(([^()#]+)\.md(#[\w-]*)?\)/g

/** A document in Markdown with links to this server's own documents; null for an unknown name. */
export function documentText(name: string): string | null {
  const text = TEXTS.get(name)
  return text === undefined ? null : linked(text, '.md')
}

/** One document as a page without scripts and pictures; null for an unknown name. */
export function documentPage(name: string): string | null {
  const text = TEXTS.get(name)
  return text === undefined
    ? null
    : markdownPage(documentTitle(name), markdownHtml(linked(text, '')))
}

/** The page that lists all documents. */
export function documentsPage(): string {
  return markdownPage('Documents', markdownHtml(listText('Documents', '')))
}

/** The page of sections that contain words of a query. Sections with more words come first. */
export async function documentSearchPage(query: string): Promise<string> {
  const hits = searchSections(await sections.get(), query)
  const list = hits.length === 0 ? '' : `<ul>${hits.map(hitHtml).join('\n')}</ul>`
  return markdownPage('Search', `<h1>Search</h1>\n${searchNotice(hits)}${list}`, query)
}

/** A paragraph for a search without a section that contains every word; empty if such a section exists. */
function searchNotice([best]: readonly SearchHit[]): string {
  if (best?.isComplete) return ''
  return best
    ? '<p>No section contains all of these words. These sections contain some of them:</p>\n'
    : `<p>No section contains any of these words. <a href="${DOCUMENTS_PATH}">All documents</a></p>\n`
}

function hitHtml({ document, link, heading, excerpt }: SearchHit): string {
  const title = heading === document ? document : `${document}: ${heading}`
  return `<li><a href="${link}">${Bun.escapeHTML(title)}</a><br>${Bun.escapeHTML(excerpt)}</li>`
}

/** The sections of all documents. They are read for the first search. */
const sections = once(async () =>
  [...TEXTS].flatMap(([name, text]) =>
    documentSections(
      documentTitle(name),
      `${DOCUMENTS_PATH}/${name}`,
      markdownHtml(linked(text, '')),
    ),
  ),
)

function markdownHtml(text: string): string {
  return Bun.markdown.html(text, { headings: { ids: true } })
}

/** The list of documents for language models, as llmstxt.org describes it. */
export function documentsList(serviceName: string, version: string): string {
  const links = '- [OpenAPI](/swagger/json)\n- [AsyncAPI](/swagger/streams.json)'
  return `${listText(serviceName, '.md', `> Documents of version ${version}.`)}${links}\n`
}

function listText(title: string, ending: string, note = ''): string {
  const rows = [...TEXTS.keys()].map(
    (name) => `- [${documentTitle(name)}](${DOCUMENTS_PATH}/${name}${ending})\n`,
  )
  return [`# ${title}`, ...(note && [note]), rows.join('')].join('\n\n')
}

/** The first heading of a document. */
function documentTitle(name: string): string {
  const [line = name] = (TEXTS.get(name) ?? '').split('\n', 1)
  return line.replace(/^# /, '')
}

/** Replaces links between documents by links to this server. Links to other files become text; pictures are removed. */
function linked(text: string, ending: string): string {
  return text.replace(IMAGE, '').replace(LINK, (whole, label: string, path: string, place = '') => {
    const name = path.split('/').at(-1) ?? ''
    if (/^https?:/.test(path)) return whole
    const isServed = TEXTS.has(name) && !path.includes('src/')
    return isServed ? `[${label}](${DOCUMENTS_PATH}/${name}${ending}${place})` : label
  })
}

const STYLE = `body{max-width:52rem;margin:0 auto;padding:1rem;font:1rem/1.55 system-ui,sans-serif;overflow-wrap:break-word}
pre,table{display:block;overflow-x:auto}pre{padding:.75rem;border:1px solid color-mix(in srgb,currentColor 25%,transparent)}
code{font-size:.9em}td,th{padding:.3rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid color-mix(in srgb,currentColor 25%,transparent)}
table{border-collapse:collapse}td{min-width:8rem}`

function markdownPage(title: string, main: string, query = ''): string {
  return htmlPage(
    title,
    `<style>${STYLE}</style>`,
    `<nav aria-label="Documents"><a href="${DOCUMENTS_PATH}">Documents</a> <a href="/swagger">API reference</a></nav>
<form role="search" action="${DOCUMENTS_PATH}">
<input type="search" name="q" aria-label="Search the documents" placeholder="Search" maxlength="${SEARCH_MAX_CHARS}" value="${Bun.escapeHTML(query)}">
<button>Search</button>
</form>
<main>
${main}
</main>`,
  )
}
