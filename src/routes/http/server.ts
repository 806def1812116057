import type { Front } from './front.ts'

export type Listen = {
  readonly hostname: string
  readonly port: number
  /** PEM texts; absent is plain HTTP. */
  readonly tls?: Tls | undefined
}

export type Tls = { readonly cert: string; readonly key: string }

/** A listener that answers; `stop` refuses new connections and resolves when those in flight have their answers. */
export type Listener = {
  readonly url: string
  readonly port: number
  readonly stop: () => Promise<void>
}

const IDLE_SECONDS = 75

// Larger bodies are refused in words by the routes; the server's own refusal has none.
const BODY_MAX_BYTES = 2 ** 40

/** Opens the public listener. Throws when the address is taken. */
export function listen({ hostname, port, tls }: Listen, front: Front): Listener {
  const server = Bun.serve({
    hostname,
    port,
    ...(tls && { tls }),
    // A second process on the same port would silently halve every rate window.
    reusePort: false,
    development: false,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: BODY_MAX_BYTES,
    fetch: (request) => front(request, addressOf(request)),
    error: () => new Response(null, { status: 500 }),
  })
  function addressOf(request: Request): string {
    return server.requestIP(request)?.address ?? ''
  }
  const bound = server.port ?? port
  return { url: urlOf(hostname, bound, tls), port: bound, stop: () => server.stop() }
}

function urlOf(hostname: string, port: number, tls: Tls | undefined): string {
  return `${tls ? 'https' : 'http'}://${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`
}
