import type { ServiceTransport } from '../../agents/client/client.ts'
import { VENUE_HEADER, VENUE_TIME_HEADER } from '../../contract/headers.ts'
import { isPracticeKind } from '../../contract/venue/kind.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import { localUrl } from '../../core/settings/listen-address.ts'
import type { CommandArguments, CommandEnvironment } from '../command/command.ts'
import { ACCOUNT_FLAGS } from '../command/flags.ts'

type RetryOptions = {
  readonly transport: ServiceTransport
  /** Called before each wait with its length. */
  readonly onWait: (seconds: number) => void
  readonly sleep: (ms: number) => Promise<void>
}

const WAITS_MAX = 20

/** Waits for Retry-After and retries after each 429. Retrying is safe, since a refused request had no effect. */
export function retryingTransport({ transport, onWait, sleep }: RetryOptions): ServiceTransport {
  return async (request) => {
    const { url, method, headers } = request
    const body = await request.text()
    for (let waits = 0; ; waits++) {
      const response = await transport(new Request(url, { method, headers, ...(body && { body }) }))
      const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
      if (response.status !== 429 || !Number.isFinite(seconds) || waits >= WAITS_MAX)
        return response
      onWait(seconds)
      await sleep(seconds * 1000)
    }
  }
}

/** A transport that also records whether an embedded venue, or a venue with a virtual clock, has answered. */
export function observeVenueKind(transport: ServiceTransport) {
  let isEmbedded = false
  let isVirtual = false
  return {
    isEmbedded: () => isEmbedded,
    isVirtual: () => isVirtual,
    transport: async (request: Request) => {
      const response = await transport(request)
      isEmbedded ||= isPracticeKind(response.headers.get(VENUE_HEADER))
      isVirtual ||= response.headers.has(VENUE_TIME_HEADER)
      return response
    },
  }
}

/** A function that prints, as a shell comment, how long a command waits. */
export function waitLine(print: (line: string) => void): RetryOptions['onWait'] {
  return (seconds) =>
    print(`# The service admits few registrations a minute: waiting ${seconds} s.`)
}

/** The URL from `--url`; otherwise the local URL of these settings' server. */
export function serverUrl(
  { settings }: Pick<CommandEnvironment, 'settings'>,
  args: CommandArguments,
) {
  return args.get(ACCOUNT_FLAGS.url.flag) ?? localUrl(settings.listen)
}

const STATUS_MAX_MS = 5000

/** The HTTP status of a GET to an address; null if nothing answers. */
export async function statusAt(transport: ServiceTransport, url: string): Promise<number | null> {
  try {
    const request = new Request(url, { signal: AbortSignal.timeout(STATUS_MAX_MS) })
    const response = await transport(request)
    await response.body?.cancel()
    return response.status
  } catch (error) {
    reportUnexpected('process', error, Error)
    return null
  }
}

/** A transport that adds the operator's key to requests. */
export function withOperatorKey(
  transport: ServiceTransport,
  operatorKey: string,
): ServiceTransport {
  return (request) => {
    request.headers.set('authorization', `Bearer ${operatorKey}`)
    return transport(request)
  }
}
