import { isLoopbackUrl, parseHttpUrl } from '../base-url.ts'
import { uriDecoded } from '../query.ts'

export type TraceSettings = {
  readonly collector: URL
  /** The headers for the collector, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
}

/** The URL to which a collector accepts spans (OTLP over HTTP), from its base address for all signals. */
export function tracesUrl({ href }: URL): string {
  return `${href.replace(/\/$/, '')}/v1/traces`
}

/** Whether headers would leave this machine unencrypted. */
export function sendsHeadersInClear({ collector, headers }: TraceSettings): boolean {
  const isClear = collector.protocol === 'http:' && !isLoopbackUrl(collector)
  return isClear && Object.keys(headers).length > 0
}

/** Parsers of the trace settings: the collector, the headers and the service name. */
export const TRACE_KINDS = {
  collector: {
    expects: 'an http or https URL without credentials, query or fragment, or off',
    parse: (text: string) => (text === 'off' ? null : parseHttpUrl(text)),
  },
  collectorHeaders: {
    expects: 'name=value pairs separated by commas, values percent-encoded',
    parse: parseHeaders,
  },
  tracedName: {
    expects: '1 to 64 visible ASCII characters without spaces',
    parse: (text: string) => (/^[\x21-\x7e]{1,64}$/.test(text) ? text : undefined),
  },
}

/** Header names and values by RFC 9110, in OpenTelemetry's list format. */
function parseHeaders(text: string): Readonly<Record<string, string>> | undefined {
  const pairs = text.split(',').map((pair) => parseHeader(pair.trim()))
  return pairs.every((pair) => pair !== undefined) ? Object.fromEntries(pairs) : undefined
}

function parseHeader(pair: string): readonly [name: string, value: string] | undefined {
  const [, name = '', encoded = ''] = /^([\w!#$%&'*+.^`|~-]{1,64})=(\S{1,4096})$/.exec(pair) ?? []
  const value = uriDecoded(encoded)
  return value !== undefined && /^[\x20-\x7e]+$/.test(value)
    ? [name.toLowerCase(), value]
    : undefined
}
