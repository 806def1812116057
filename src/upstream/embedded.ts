import type { Upstream, UpstreamRequest } from '../core/ports.ts'

/** A venue in this process: the wire's request in, the wire's response out. */
export type VenueAnswer = (request: {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}) => Promise<{
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}>

/** The embedded venue behind the same port as a live one; it never times out and is never out of reach. */
export function embeddedUpstream(answer: VenueAnswer): Upstream {
  async function send({ method, path, headers, body }: UpstreamRequest) {
    const response = await answer({ method, path, headers, ...(body !== undefined && { body }) })
    return {
      status: response.status,
      contentType: response.headers['content-type'] ?? 'application/json',
      body: response.body,
    }
  }
  return { send }
}
