import { defaultOnFailure, guarded } from '../../core/loop/guarded.ts'
import { isPublicAddress } from '../../core/public-address.ts'
import {
  type Call,
  type CallAbortSignal,
  deadlineIn,
  exchangeFault,
} from '../../upstream/sockets/exchange.ts'
import { openPool } from '../../upstream/sockets/pool.ts'

/** Which hosts may be called, and how they are reached. */
export type PublicReach = {
  /** The addresses of a host. */
  readonly lookup: (host: string) => Promise<readonly string[]>
  readonly isAllowed: (address: string) => boolean
  readonly port: number
  /** Trusted certificate authorities in PEM; absent: the system's. */
  readonly ca?: string
}

/** Reaches public hosts only, on port 443. */
export const PUBLIC_REACH: PublicReach = {
  lookup: async (host) => (await Bun.dns.lookup(host)).map(({ address }) => address),
  isAllowed: isPublicAddress,
  port: 443,
}

type Post = {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly deadlineMs: number
}

const CONNECTION = { idleMs: 1, resends: false, openingMax: 1 } as const

/**
 * Posts to a host if all of its addresses are allowed. Connects to the first address that is reachable, without a
 * second lookup. Does not follow redirects, use a proxy or read the body. Returns null for success (2xx), otherwise the
 * fault: `http_` and the status, `not_public`, `timeout`, or the kind of error.
 */
export async function postFault(reach: PublicReach, post: Post): Promise<string | null> {
  const deadline = deadlineIn(post.deadlineMs)
  try {
    return await sendToAddresses(reach, post, deadline)
  } catch (error) {
    return exchangeFault(error, deadline).fault
  } finally {
    deadline.clear()
  }
}

async function sendToAddresses(
  reach: PublicReach,
  { url, headers, body }: Post,
  deadline: CallAbortSignal,
) {
  const addresses = await addressesBefore(deadline, reach.lookup(url.hostname))
  if (!addresses.every(reach.isAllowed)) return 'not_public'
  const target = url.pathname + url.search
  const call = { url, target, method: 'POST', headers, body: Buffer.from(body) } as const
  let fault = 'unreachable'
  for (const address of addresses.slice(0, ADDRESSES_MAX)) {
    fault = await faultAt(reach, { address, call, deadline })
    if (fault !== 'unreachable') break
  }
  return fault === '' ? null : fault
}

const ADDRESSES_MAX = 4

type PostAttempt = {
  readonly address: string
  readonly call: Call
  readonly deadline: CallAbortSignal
}

/** Posts to one address. Returns its fault; '' for success. Throws the error once the request may have been sent. */
async function faultAt(
  { port, ca }: PublicReach,
  { address, call, deadline }: PostAttempt,
): Promise<string> {
  const at = { address, port, ...(ca !== undefined && { ca }) }
  try {
    const { status, body } = await openPool(call.url, { ...CONNECTION, at })(call, deadline)
    if (body && 'cancel' in body) await body.cancel()
    return status >= 200 && status < 300 ? '' : `http_${status}`
  } catch (error) {
    const { fault, sent } = exchangeFault(error, deadline)
    if (sent) throw error
    return fault
  }
}

/** The addresses that a lookup finds, empty if it fails. Throws the deadline's reason if the deadline passes first. */
function addressesBefore(
  deadline: CallAbortSignal,
  looked: Promise<readonly string[]>,
): Promise<readonly string[]> {
  const { promise, reject } = Promise.withResolvers<never>()
  deadline.addEventListener(
    'abort',
    guarded('process', () => reject(deadline.reason)),
  )
  return Promise.race([promise, looked.catch(defaultOnFailure('process', [], Error))])
}
