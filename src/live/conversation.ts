import { STREAM_CLOSES, STREAM_LIMITS } from '../contract/stream/limits.ts'
import {
  type AuthMessage,
  CLIENT_MESSAGES,
  type SubscribeMessage,
} from '../contract/stream/messages.ts'
import type { Verifier } from '../core/crypto/verifier.ts'
import { Failure, invalidParameter } from '../core/failure.ts'
import { isObject } from '../core/json.ts'
import { detached, reportUnexpected } from '../core/loop/guarded.ts'
import { parseBody } from '../core/parse-body.ts'
import type { Clock, Store } from '../core/ports.ts'
import { admitAccount, type ChargeableWindows } from '../gateway/limits/admission.ts'
import { decide } from '../gateway/limits/gcra.ts'
import { assertFresh, assertSignature } from '../gateway/relay/signed.ts'
import type { Accounts } from './accounts.ts'
import { type CallerConnection, isSubscribed } from './connection.ts'
import type { Hub } from './hub.ts'
import { errorFields, type Subscribe } from './subscribe.ts'
import type { Since } from './topic.ts'

/** Handles a client's message over a WebSocket. Every failure is an `error` message; the third ends the connection. */
export type Receive = (connection: CallerConnection, text: string) => void

type ConversationOptions = {
  readonly deps: {
    readonly limiter: ChargeableWindows
    readonly proofs: Pick<Store['proofs'], 'has'>
    readonly clock: Clock
    readonly verifier: Pick<Verifier, 'verify'>
  }
  readonly hub: Hub
  /** Null without a configured private feed of the venue. */
  readonly accounts: Accounts | null
  readonly subscribe: Subscribe
}

const MESSAGE_POLICY = {
  requests: STREAM_LIMITS.messagesPerSecond,
  seconds: 1,
  burst: STREAM_LIMITS.messagesPerSecond,
} as const

export function createReceive(parts: ConversationOptions): Receive {
  const { deps, hub } = parts

  function violated(connection: CallerConnection, error: unknown): void {
    hub.notify(connection, 'error', errorFields(error))
    connection.violations += 1
    if (connection.violations < STREAM_LIMITS.violationsMax) return
    hub.end(connection, STREAM_CLOSES.violation, 'too many violations')
  }

  function attempt(connection: CallerConnection, run: () => void): void {
    try {
      if (!connection.isClosed) run()
    } catch (error) {
      violated(connection, error)
    }
  }

  function handle(connection: CallerConnection, text: string): void {
    if (parseOp(text) !== 'auth') {
      act(parts, connection, text)
      return
    }
    const message = parseBody(CLIENT_MESSAGES.auth, text)
    const proof = authenticateConnection(parts, connection, message).catch((error: unknown) =>
      violated(connection, error),
    )
    connection.proof = proof.finally(() => {
      connection.proof = null
    })
  }

  /** Handles a message after all earlier proofs are verified, since the message may depend on a proof. */
  function handleInTurn(connection: CallerConnection, text: string): void {
    const { proof } = connection
    if (proof)
      detached(
        'stream',
        proof.then(() => handleInTurn(connection, text)),
      )
    else attempt(connection, () => handle(connection, text))
  }

  return (connection, text) =>
    attempt(connection, () => {
      assertRate(connection, deps.clock.nowMs())
      assertShort(text)
      handleInTurn(connection, text)
    })
}

function assertRate(connection: CallerConnection, nowMs: number): void {
  const { allowed, atMs } = decide(connection.messagesAtMs, nowMs, MESSAGE_POLICY)
  connection.messagesAtMs = atMs
  if (allowed) return
  throw new Failure('rate_limited', { limit: 'messages', max: STREAM_LIMITS.messagesPerSecond })
}

function assertShort(text: string): void {
  const maxBytes = STREAM_LIMITS.messageMaxBytes
  if (Buffer.byteLength(text) > maxBytes) throw new Failure('payload_too_large', { maxBytes })
}

function act(parts: ConversationOptions, connection: CallerConnection, text: string): void {
  const { hub, subscribe } = parts
  const op = parseOp(text)
  if (op === 'ping') {
    hub.notify(connection, 'pong')
  } else if (op === 'unsubscribe') {
    unsubscribe(parts, connection, parseBody(CLIENT_MESSAGES.unsubscribe, text).topics)
  } else {
    const { topics, since = {} } = parseBody(CLIENT_MESSAGES.subscribe, text)
    subscribe(connection, topics, (topic) => sincePosition(since, topic))
  }
}

function parseOp(text: string): keyof typeof CLIENT_MESSAGES {
  const message = parsed(text)
  const op = isObject(message) ? message['op'] : undefined
  if (isOp(op)) return op
  throw invalidParameter('op', 'malformed', {
    expected: `One of ${Object.keys(CLIENT_MESSAGES).join(', ')}.`,
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    reportUnexpected('stream', error, SyntaxError)
    throw invalidParameter('message', 'not_json')
  }
}

function isOp(op: unknown): op is keyof typeof CLIENT_MESSAGES {
  return typeof op === 'string' && Object.hasOwn(CLIENT_MESSAGES, op)
}

function unsubscribe(
  { hub }: ConversationOptions,
  connection: CallerConnection,
  asked: readonly string[],
): void {
  const topics = asked.filter((topic) => isSubscribed(connection, topic))
  for (const topic of topics) hub.leave(connection, topic)
  hub.notify(connection, 'ack', { op: 'unsubscribe', topics })
}

/**
 * Makes the relay's checks in the relay's order: shape, freshness, key, account. The venue then accepts or refuses the
 * key.
 */
async function authenticateConnection(
  { deps, hub, accounts }: ConversationOptions,
  connection: CallerConnection,
  message: AuthMessage,
): Promise<void> {
  if (!accounts) throw new Failure('not_configured')
  const { op, ...auth } = message
  const { accountId, key } = auth
  assertFresh(auth.timestamp, deps.clock.nowMs(), 'timestamp')
  assertSignature(deps.verifier, { ...auth, text: auth.timestamp })
  const own = connection.account
  if (own && (own.accountId !== accountId || own.key !== key)) {
    throw new Failure('forbidden', { parameter: 'accountId', reason: 'one_account' })
  }
  await admitAccount(deps.limiter, deps.proofs, 'account', auth, connection.limitKey)
  if (connection.isClosed) return
  accounts.enter(connection, auth)
  hub.notify(connection, 'ack', { op, accountId })
}

function sincePosition(since: NonNullable<SubscribeMessage['since']>, topic: string): Since {
  const [epoch, seq] = (Object.hasOwn(since, topic) ? since[topic] : undefined) ?? []
  return epoch === undefined || seq === undefined ? null : { epoch, seq }
}
