import type { VenueAnswer } from './message.ts'

/** The venue's wire on a port of its own, for other programs. Answers the URL and how to stop. */
export function listenVenue(
  { host, port }: { readonly host: string; readonly port: number },
  answer: VenueAnswer,
) {
  const server = Bun.serve({
    hostname: host,
    port,
    reusePort: false,
    development: false,
    fetch: async (request) => {
      const body = await request.text()
      const response = await answer({
        method: request.method,
        path: request.url.slice(request.url.indexOf('/', 'http://'.length)),
        headers: Object.fromEntries(request.headers),
        ...(body && { body }),
      })
      return new Response(response.body, { status: response.status, headers: response.headers })
    },
  })
  return { port: server.port ?? port, stop: () => server.stop(true) }
}
