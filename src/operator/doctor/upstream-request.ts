import { LIMITS } from '../../contract/limits.ts'
import { type Finding, fail } from '../../core/finding.ts'
import { parsedJson } from '../../core/json.ts'
import { readText } from '../../upstream/http-body.ts'
import type { CheckEnvironment } from './check.ts'

/** An upstream that a setting names, with its name in findings. */
export type CheckedUpstream = {
  /** The upstream's name, as the beginning of a sentence. */
  readonly name: string
  readonly setting: string
  readonly url: URL
}

/** A JSON answer, or the finding that explains why it is missing. */
export type UpstreamAnswer =
  | { readonly body: unknown; readonly problem: null }
  | { readonly problem: Finding }

/** Sends a GET to an upstream without following redirects. Reports a failure of network, TLS or HTTP. */
export async function requestUpstream(
  { transport }: CheckEnvironment['world'],
  upstream: CheckedUpstream,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<UpstreamAnswer> {
  const signal = AbortSignal.timeout(LIMITS.upstreamReadDeadlineMs)
  const request = new Request(upstream.url.origin + path, { headers, redirect: 'manual', signal })
  try {
    const response = await transport(request)
    const body = parsedJson(await readBodyText(response))
    const problem = answerProblem(upstream, response.status, body)
    return problem ? { problem } : { body, problem: null }
  } catch (error) {
    return { problem: connectionProblem(upstream, error) }
  }
}

/** The finding for a request that failed before its answer. */
export function connectionProblem(
  { name, setting, url }: CheckedUpstream,
  error: unknown,
): Finding {
  const { message, code } = errorDetail(error)
  const cause = CAUSES.find(({ when }) => when.test(code)) ?? OTHER_CAUSE
  const detail = code === '' ? '' : ` (${code})`
  return fail(`${name}: ${url.origin} ${cause.seen}${detail}`, cause.remedy(setting, url, message))
}

type Cause = {
  /** Matches error codes of the system, of OpenSSL and of the runtime. */
  readonly when: RegExp
  readonly seen: string
  readonly remedy: (setting: string, url: URL, message: string) => string
}

const CAUSES: readonly Cause[] = [
  {
    when: /^ECONNREFUSED$/,
    seen: 'refuses the connection',
    remedy: (setting, { port }) =>
      `Nothing listens there: look at the port${port && ` ${port}`} in ${setting}.`,
  },
  {
    when: /^(?:ENOTFOUND|EAI_\w+)$/,
    seen: 'has a name that DNS does not resolve',
    remedy: (setting, { hostname }) =>
      `Look at the spelling in ${setting}, and at what \`getent hosts ${hostname}\` says.`,
  },
  {
    when: /^(?:EPROTO|ERR_SSL_\w+)$/,
    seen: 'does not complete the TLS handshake',
    remedy: (setting) => `Look at the port and the scheme in ${setting}: no TLS is spoken there.`,
  },
  {
    when: /CERT|SIGNATURE|ISSUER|INVALID_(?:CA|PURPOSE)/,
    seen: 'shows a TLS certificate that is not trusted',
    remedy: (_, _url, message) =>
      `${message}. A proxy that inspects TLS, a wrong host name or a wrong clock do this; NODE_EXTRA_CA_CERTS names your own authority.`,
  },
  {
    when: /^(?:TimeoutError|ETIMEDOUT|AbortError)$/,
    seen: 'does not answer in time',
    remedy: () => 'A firewall that drops packets does this: let this machine out to it.',
  },
  {
    when: /^(?:EHOSTUNREACH|ENETUNREACH)$/,
    seen: 'has no route from here',
    remedy: () => 'Look at the routes and the firewall of this machine.',
  },
]

const OTHER_CAUSE: Cause = {
  when: /$/,
  seen: 'cannot be reached',
  remedy: (setting) => `Look at ${setting}, DNS and the firewall.`,
}

function answerProblem(
  { name, setting, url }: CheckedUpstream,
  status: number,
  body: unknown,
): Finding | null {
  const at = `${name}: ${url.origin} answers ${status}`
  if (status === 401 || status === 403)
    return fail(
      `${at}: it does not admit this machine`,
      `Look at its key where it needs one, and ask whether it admits this machine's address and country.`,
    )
  if (status >= 300 && status < 400)
    return fail(`${at}, a redirect`, `Set ${setting} to the address that it leads to.`)
  if (body === undefined)
    return fail(
      `${at} with no JSON, as a web page or a proxy does`,
      `Look at the host in ${setting}: the API is not served there.`,
    )
  return status === 200 ? null : fail(at, `Look at its status page, and at ${setting}.`)
}

/** Reads the body without its headers, because the runtime has already decompressed the body. */
function readBodyText({ body }: Response): Promise<string> {
  return readText({ headers: new Headers(), body }, { maxBytes: LIMITS.upstreamBodyMaxBytes })
}

function errorDetail(error: unknown): { readonly message: string; readonly code: string } {
  if (!(error instanceof Error)) return { message: '', code: '' }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  return { message: error.message, code: code === 'Error' ? '' : code }
}
