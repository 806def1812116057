import { Elysia } from 'elysia'
import { APPROVAL_PAGE } from '../contract/approval.ts'
import { SYMBOL_PATTERN } from '../contract/market/symbols.ts'
import { Failure } from '../core/failure.ts'
import type { Clock } from '../core/ports.ts'
import type { TimedMarketAccess } from '../gateway/market/cached-answers.ts'
import icon from '../pages/common/favicon.svg' with { type: 'text' }
import { PAGE_SEGMENT } from '../pages/common/segment.ts'
import { createBundle, PAGE_HEADERS, type PageBundle, type PageFacts } from './pages/bundle.ts'
import { createInitialContent } from './pages/initial-content.ts'
import { PAGE_PARTS } from './pages/parts.ts'
import type { RouteAccess } from './server/endpoints.ts'
import { methodNotAllowed } from './server/responses.ts'

const MOUNT = '/trade/'
const HOUR = 'public, max-age=3600'

type PageRouteOptions = RouteAccess & {
  readonly deps: TimedMarketAccess
  readonly clock: Clock
  /** Null if the trading page is not served. */
  readonly page: PageFacts | null
}

/** The routes of the trading page; empty if `page` is null. */
export const pageRoutes = (parts: PageRouteOptions) => {
  const { page: facts, callers } = parts
  const plugin = new Elysia({ name: 'routes.page' })
  if (facts === null) return plugin
  const bundle = createBundle(PAGE_PARTS.trade, MOUNT)
  const firstLook = createInitialContent(parts)
  // Only the trading page shows a market, so only its document has initial content.
  const document = async (request: Request, name: string) =>
    PAGE_SEGMENT.test(name)
      ? bundle.document(request, facts)
      : bundle.document(request, facts, await firstLook(name, callers.of(request).limitKey))
  return plugin
    .get('/', () => new Response(null, { status: 302, headers: { location: '/trade' } }))
    .get('/favicon.svg', () => plain(icon, 'image/svg+xml'))
    .get('/trade', ({ request }) => document(request, ''))
    .get('/trade/NOTICE', async () => {
      const { licensesText } = await import('../operator/licenses.ts')
      return plain(await licensesText(), 'text/plain; charset=utf-8')
    })
    .get('/trade/:name', async ({ request, params: { name } }) => {
      // Serves the page also for an unknown market, which the page itself reports.
      if (SYMBOL_PATTERN.test(name) || !name.includes('.')) return document(request, name)
      return readPart(bundle, request, name)
    })
    .all('/trade', refuse)
    .all('/trade/:name', refuse)
}

async function readPart(bundle: PageBundle, request: Request, name: string): Promise<Response> {
  const part = await bundle.part(request, name)
  if (!part) throw new Failure('not_found')
  return part
}

function refuse(): never {
  throw methodNotAllowed('GET, HEAD')
}

function plain(text: string, contentType: string): Response {
  return new Response(text, {
    headers: { 'content-type': contentType, 'cache-control': HOUR, ...PAGE_HEADERS },
  })
}

/** The page on which owners approve writes. It is served even if the trading page is not. */
export const approve = ({ facts }: { readonly facts: PageFacts }) => {
  const bundle = createBundle(PAGE_PARTS.approve, APPROVAL_PAGE)
  return new Elysia({ name: 'routes.approve' })
    .get(`${APPROVAL_PAGE}:name`, async ({ request, params: { name } }) => {
      // Serves the page also for an unknown write, which the page itself reports.
      if (!name.includes('.')) return bundle.document(request, facts)
      return readPart(bundle, request, name)
    })
    .all(`${APPROVAL_PAGE}:name`, refuse)
}
