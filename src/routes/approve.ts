import { Elysia } from 'elysia'
import { Failure } from '../core/failure.ts'
import { APPROVAL_PAGE } from '../spec/approval.ts'
import { methodNotAllowed } from './http/responses.ts'
import { createBundle, type PageFacts } from './pages/bundle.ts'
import { PARTS } from './pages/parts/approve.ts'

/** The page on which owners approve writes; it is served wherever approvals are asked for. */
export const approve = ({ facts }: { readonly facts: PageFacts }) => {
  const bundle = createBundle(PARTS, APPROVAL_PAGE)
  return new Elysia({ name: 'routes.approve' })
    .get(`${APPROVAL_PAGE}:name`, async ({ request, params: { name } }) => {
      // Whether there is such a write is for the page to say.
      if (!name.includes('.')) return bundle.document(request, facts)
      const part = await bundle.part(request, name)
      if (!part) throw new Failure('not_found')
      return part
    })
    .all(`${APPROVAL_PAGE}:name`, () => {
      throw methodNotAllowed('GET, HEAD')
    })
}
