/** One span as a collector was sent it. Attributes are by name. */
type CollectedSpan = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: number
  readonly failed: boolean
  readonly ms: number
  readonly fields: Readonly<Record<string, unknown>>
}

export type Collector = {
  readonly url: string
  readonly spans: readonly CollectedSpan[]
  /** What each export said of itself. */
  readonly exports: readonly {
    readonly path: string
    readonly headers: Headers
    readonly text: string
    readonly service: unknown
  }[]
  readonly stop: () => Promise<void>
}

/** A collector of traces over OTLP/HTTP on loopback, which keeps what it is sent; `status` is what it answers. */
export function startCollector(status: () => number = () => 200): Collector {
  const spans: CollectedSpan[] = []
  const exports: Collector['exports'][number][] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const text = await request.text()
      const answer = status()
      if (answer !== 200) return new Response('{}', { status: answer })
      const { pathname: path } = new URL(request.url)
      for (const { resource, scopeSpans } of JSON.parse(text).resourceSpans) {
        const service = fieldsOf(resource)['service.name']
        exports.push({ path, headers: request.headers, text, service })
        for (const scope of scopeSpans) spans.push(...scope.spans.map(collected))
      }
      return Response.json({})
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    spans,
    exports,
    stop: () => server.stop(true),
  }
}

type Sent = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly status: { readonly code: number }
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
}

const ERROR = 2

function collected(span: Sent): CollectedSpan {
  const { traceId, spanId, parentSpanId, name, kind, status } = span
  const ms = Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6
  const failed = status.code === ERROR
  return { traceId, spanId, parentSpanId, name, kind, failed, ms, fields: fieldsOf(span) }
}

function fieldsOf(owner: unknown): Record<string, unknown> {
  const { attributes }: { attributes: { key: string; value: object }[] } = Object(owner)
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
