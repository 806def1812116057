import { Elysia } from 'elysia'
import { Failure } from '../core/failure.ts'
import icon from '../page/common/favicon.svg' with { type: 'text' }
import { SYMBOL_PATTERN } from '../spec/market.ts'
import { ROUTES } from '../spec/routes.ts'
import { methodNotAllowed } from './http/responses.ts'
import { createBundle, type PageWords } from './pages/bundle.ts'
import { PAGE_HEADERS } from './pages/headers.ts'
import { PARTS } from './pages/parts/trade.ts'

const MOUNT = '/trade/'
/** What the page shows first. */
const FIRST = [ROUTES.markets.path, ROUTES.marketRules.path]
const HOUR = 'public, max-age=3600'

/** The trading page. Without words for it there is nothing here. */
export const page = (words: PageWords | null) => {
  const plugin = new Elysia({ name: 'routes.page' })
  if (words === null) return plugin
  const bundle = createBundle(PARTS, MOUNT, FIRST)
  return plugin
    .get('/', () => new Response(null, { status: 302, headers: { location: '/trade' } }))
    .get('/favicon.svg', () => plain(icon, 'image/svg+xml'))
    .get('/trade', ({ request }) => bundle.document(request, words))
    .get('/trade/NOTICE', async () => {
      const { licensesText } = await import('../admin/licenses.ts')
      return plain(await licensesText(), 'text/plain; charset=utf-8')
    })
    .get('/trade/:name', async ({ request, params: { name } }) => {
      // Whether there is such a market is for the page to say.
      if (SYMBOL_PATTERN.test(name) || !name.includes('.')) return bundle.document(request, words)
      const part = await bundle.part(request, name)
      if (!part) throw new Failure('not_found')
      return part
    })
    .all('/trade', refuse)
    .all('/trade/:name', refuse)
}

function refuse(): never {
  throw methodNotAllowed('GET, HEAD')
}

function plain(text: string, contentType: string): Response {
  return new Response(text, {
    headers: { 'content-type': contentType, 'cache-control': HOUR, ...PAGE_HEADERS },
  })
}
