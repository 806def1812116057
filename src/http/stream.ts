import { Elysia } from 'elysia'
import { LIMITS } from '../contract/limits.ts'
import { ROUTES } from '../contract/routes.ts'
import { STREAM_LIMITS } from '../contract/stream/limits.ts'
import { Failure, invalidParameter } from '../core/failure.ts'
import { once } from '../core/loop/once.ts'
import { optionalValue } from '../core/query.ts'
import { admit } from '../gateway/limits/admission.ts'
import type { CallerConnection } from '../live/connection.ts'
import type { Publish } from '../live/sink.ts'
import type { LiveStream } from '../live/stream.ts'
import type { Origins } from './server/cors.ts'
import { type RouteAccess, requestQuery } from './server/endpoints.ts'
import { createEventStreams } from './server/event-streams.ts'
import type { Sockets } from './server/sockets.ts'

/** Opens live data for the first subscriber; null if live data is not configured. */
export type OpenStream = (publish: Publish) => Promise<LiveStream>

export type StreamRouteOptions = RouteAccess & {
  readonly openStream: OpenStream | null
  readonly sockets: Sockets
  readonly origins: Origins
}

/** Live data over WebSockets and server-sent events. */
export const streamRoutes = (parts: StreamRouteOptions) => {
  const events = createEventStreams()
  const opened = openedOnce(parts, (group, frame, place) => {
    parts.sockets.publish(group, frame)
    events.publish(group, frame, place)
  })

  async function entered(request: Request) {
    const caller = parts.callers.of(request)
    assertOrigin(request, parts.origins)
    await admit(parts.limiter, ROUTES.socket.policy, caller.limitKey)
    return { live: await opened(), caller }
  }

  return new Elysia({ name: 'routes.stream' })
    .get(ROUTES.socket.path, async ({ request }) => {
      assertUpgrade(request)
      const { live, caller } = await entered(request)
      live.reserve(caller.limitKey)
      const owner = { stream: live, limitKey: caller.limitKey }
      if (parts.sockets.upgrade(request, owner)) return new Response(null)
      live.release(caller.limitKey)
      throw invalidParameter('upgrade')
    })
    .get(ROUTES.events.path, async ({ request }) => {
      const { live, caller } = await entered(request)
      if (caller.isHead) return new Response(null, { headers: EVENT_HEADERS })
      let connection: CallerConnection | null = null
      const { sink, body } = events.open(
        () => connection && live.gone(connection),
        // A short idle timeout ends the connection of a client that no longer reads.
        () => parts.sockets.setIdleTimeout(request, STREAM_LIMITS.closingMs),
      )
      const lastId = request.headers.get('last-event-id')
      connection = live.listen(sink, caller.limitKey, requestedTopics(request), lastId)
      parts.sockets.setIdleTimeout(request, 0)
      return new Response(body, { headers: EVENT_HEADERS })
    })
}

const EVENT_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
} as const

/** Opens live data for the first subscriber. After a failure, the next subscriber opens it again. */
function openedOnce(
  { openStream }: StreamRouteOptions,
  publish: Publish,
): () => Promise<LiveStream> {
  if (!openStream) {
    return () => {
      throw new Failure('not_configured')
    }
  }
  return once(() => openStream(publish)).get
}

function requestedTopics(request: Request): readonly string[] {
  const topics =
    optionalValue(requestQuery(request), 'topics', LIMITS.streamTopicsMaxChars)?.split(',') ?? []
  if (topics.length === 0) throw invalidParameter('topics', 'missing')
  return [...new Set(topics)]
}

function assertUpgrade({ headers }: Request): void {
  if (headers.get('upgrade')?.toLowerCase() !== 'websocket') throw invalidParameter('upgrade')
}

// Live data uses no cookies, so an origin that may read answers may also subscribe. A page of this host sends no Origin
// header on reads but always sends one for a WebSocket.
function assertOrigin({ headers }: Request, origins: Origins): void {
  const origin = headers.get('origin')
  if (origin === null || origins === '*' || origins.includes(origin)) return
  if (URL.parse(origin)?.host === headers.get('host')?.toLowerCase()) return
  throw new Failure('forbidden', { reason: 'foreign_origin', setting: 'PREPD_ALLOWED_ORIGINS' })
}
