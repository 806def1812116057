import { type TSchema, Type } from '@sinclair/typebox'
import { INTERVALS } from '../../contract/durations.ts'
import { FAILURES } from '../../contract/failures.ts'
import { SYMBOL_PATTERN } from '../../contract/market/symbols.ts'
import { ROUTES } from '../../contract/routes.ts'
import { STREAM_LIMITS } from '../../contract/stream/limits.ts'
import { CLIENT_MESSAGES } from '../../contract/stream/messages.ts'
import {
  isStreamName,
  STREAMS,
  type StreamName,
  topicTemplate,
} from '../../contract/stream/topics.ts'

const text = Type.String()
const count = Type.Integer({ minimum: 0 })
const milliseconds = Type.Integer({ description: 'Milliseconds since the epoch.' })
const Meta = Type.Optional(Type.Record(text, Type.Unknown()))

/** Messages about the connection itself, which no topic publishes. */
const OWN_MESSAGES: Readonly<Record<string, TSchema>> = {
  hello: connectionMessage('hello', {
    epoch: Type.String({ description: 'Of this process; the ids of events begin with it.' }),
    heartbeatMs: count,
    limits: Type.Record(text, count),
  }),
  ack: connectionMessage('ack', {
    op: Type.String(),
    topics: Type.Optional(Type.Array(text)),
    accountId: Type.Optional(text),
  }),
  pong: connectionMessage('pong', {}),
  auth_required: connectionMessage('auth_required', { accountId: text }),
  error: connectionMessage('error', {
    code: Type.String({ enum: Object.keys(FAILURES) }),
    topic: Type.Optional(text),
    meta: Meta,
  }),
  bye: connectionMessage('bye', { retryAfterMs: count }),
}

function connectionMessage(type: string, fields: Record<string, TSchema>): TSchema {
  return Type.Object({ type: Type.Literal(type), ts: milliseconds, ...fields })
}

/** The AsyncAPI 3.0 document of live data, generated from the table of topics. */
export function asyncApiDocument(parts: {
  readonly serviceName: string
  readonly version: string
}) {
  const topics = Object.keys(STREAMS).filter(isStreamName)
  const sent = {
    ...OWN_MESSAGES,
    ...Object.fromEntries(topics.map((name) => [name, topicMessage(name)])),
  }
  return {
    asyncapi: '3.0.0',
    info: {
      title: `${parts.serviceName} live data`,
      version: parts.version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    channels: {
      socket: channel(ROUTES.socket, { ...CLIENT_MESSAGES, ...sent }),
      events: channel(ROUTES.events, sent),
    },
    operations: {
      ask: operation('receive', 'socket', 'Messages of clients.', Object.keys(CLIENT_MESSAGES)),
      tell: operation('send', 'socket', 'Messages of the server.', Object.keys(sent)),
      tellEvents: operation('send', 'events', 'The same, as events.', Object.keys(sent)),
    },
    components: {
      messages: Object.fromEntries(
        Object.entries({ ...CLIENT_MESSAGES, ...sent }).map(namedMessage),
      ),
    },
  }
}

const DESCRIPTION = [
  'Subscribe to topics; each begins with a snapshot. `seq` rises by exactly one a message of a topic within an `epoch`, and a new epoch always begins with a snapshot.',
  `After a short absence give \`since\` (or, over events, Last-Event-ID): what was missed of the last ${STREAM_LIMITS.ringMs / 1000} s follows, or a snapshot.`,
  `A topic that hears nothing from the venue for ${STREAM_LIMITS.staleMs / 1000} s says so with \`stale\`. A slow reader is skipped and gets snapshots, or is closed with 4408.`,
  'Every failure is an `error` with a code of the closed list; the third violation of a limit closes with 1008.',
].join(' ')

/** The type of a topic's later messages. Topics that are absent here send snapshots only. */
const CHANGE_TYPES = {
  fields: 'delta',
  book: 'delta',
  rows: 'delta',
  events: 'event',
  account: 'event',
} as const

function topicMessage(name: StreamName): TSchema {
  const row = STREAMS[name]
  const isPrivate = row.kind === 'account'
  const messages = [
    ofTopic(name, isPrivate ? 'resync' : 'snapshot', row.whole),
    ...('change' in row ? [ofTopic(name, CHANGE_TYPES[row.kind], row.change)] : []),
    ofTopic(name, 'stale', Type.Object({ ageMs: count })),
  ]
  return Type.Union(messages, { description: row.summary })
}

function ofTopic(name: StreamName, type: string, data: TSchema): TSchema {
  const topic = Type.String({ pattern: topicPattern(name) })
  return Type.Object({
    topic,
    type: Type.Literal(type),
    epoch: text,
    seq: count,
    ts: milliseconds,
    data,
  })
}

function topicPattern(name: StreamName): string {
  const symbol = SYMBOL_PATTERN.source.slice(1, -1)
  const values = { symbol, interval: `(?:${INTERVALS.join('|')})` }
  return `^${[name, ...STREAMS[name].parameters.map((parameter) => values[parameter])].join(':')}$`
}

function channel(
  route: { readonly path: string; readonly summary: string },
  messages: Readonly<Record<string, unknown>>,
) {
  const names = Object.keys(messages)
  return {
    address: route.path,
    description: route.summary,
    messages: Object.fromEntries(
      names.map((name) => [name, { $ref: `#/components/messages/${name}` }]),
    ),
  }
}

function operation(
  action: 'send' | 'receive',
  at: string,
  summary: string,
  names: readonly string[],
) {
  return {
    action,
    summary,
    channel: { $ref: `#/channels/${at}` },
    messages: names.map((name) => ({ $ref: `#/channels/${at}/messages/${name}` })),
  }
}

function namedMessage([name, payload]: readonly [string, TSchema]) {
  const title = isStreamName(name) ? topicTemplate(name) : name
  return [name, { name, title, payload }] as const
}
