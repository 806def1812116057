import { APPROVAL_PAGE } from '../contract/approval.ts'
import { Failure } from '../core/failure.ts'

/**
 * Adds the link to the approval page to an `approval_required` failure if the caller used one of this service's hosts.
 * Other errors stay unchanged.
 */
export function withApprovalLink(error: unknown, origin: string | null): unknown {
  if (!(error instanceof Failure) || error.code !== 'approval_required') return error
  const id = error.meta?.['approval']
  if (typeof id !== 'string') return error
  if (origin === null) return new Failure(error.code, { ...error.meta, ...NO_LINK_META })
  return new Failure(error.code, { ...error.meta, link: origin + APPROVAL_PAGE + id })
}

/**
 * `meta` without a link, for a request to an unknown host: a foreign page at that host could make the owner sign
 * something else.
 */
const NO_LINK_META = {
  setting: 'PREPD_ALLOWED_HOSTS',
  next: 'The link is missing, because the host of the request is not among the allowed hosts. Ask the operator to add it, then send the same body again.',
}
