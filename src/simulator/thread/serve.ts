import type { LogEvent } from '../../contract/operator/log-events.ts'
import type { AccountSink } from '../../core/feed.ts'
import { after, defaultOnFailure, guarded, reportFaultsTo } from '../../core/loop/guarded.ts'
import { markInUse } from '../../core/loop/idle-timers.ts'
import type { Clock, Log } from '../../core/ports.ts'
import { packMessage } from '../messages/message.ts'
import type { VenueOptions, VenueService } from '../service.ts'
import {
  callByName,
  type FromVenue,
  isToVenue,
  type OpenMessage,
  packError,
  type SinkEvent,
  type ToVenue,
} from './messages.ts'

/** The clock, store and log of the venue's thread. */
type ThreadOutside = {
  readonly clock: Clock
  readonly monotonicMs: () => number
  readonly log: Log
  /** Receives the venue's time whenever it moves. */
  readonly timeMoved: (nowMs: number) => void
  /** Called with true when long work begins and with false when it ends. In between, the thread does not answer. */
  readonly busy: (isBusy: boolean) => void
}

/** Opens the venue. Its file is in the same folder as the store with this path. */
type OpenService = (
  options: VenueOptions,
  storePath: string,
  outside: ThreadOutside,
) => VenueService

type ServeOptions = Pick<ThreadOutside, 'clock' | 'monotonicMs'> & {
  readonly open: OpenService
  /** Sends a message to the gateway's thread. */
  readonly send: (message: FromVenue) => void
}

/** Delay before the simulation is built, so that the first requests do not wait for it. */
const SIMULATION_AFTER_MS = 200

/**
 * Serves a venue to the gateway's thread. Returns a function that receives that thread's messages. It throws TypeError
 * for a malformed message.
 */
export function serveVenue(parts: ServeOptions): (message: unknown) => void {
  const { send } = parts
  let session: Session | null = null
  reportFaultsTo((part, error) => send({ kind: 'fault', part, error: packError(error) }))
  return (message) => {
    // The caller of this function logs the error and counts it as a fault.
    if (!isToVenue(message)) throw new TypeError('a malformed message to the venue')
    if (message.kind === 'ping') send({ kind: 'pong' })
    else if (message.kind === 'open') session = opened(parts, message)
    else {
      markInUse()
      session?.receive(message)
    }
  }
}

type Session = { readonly receive: (message: Exclude<ToVenue, OpenMessage>) => void }

function opened({ open, send, ...outside }: ServeOptions, message: OpenMessage): Session | null {
  const time = new BigInt64Array(message.clock)
  try {
    const service = open(message.options, message.storePath, {
      ...outside,
      log: logTo(send),
      timeMoved: (nowMs) => void Atomics.store(time, 0, BigInt(nowMs)),
      busy: (isBusy) => send({ kind: 'busy', isBusy }),
    })
    send({ kind: 'refusal', reason: service.refusal() })
    send({ kind: 'open', port: service.port })
    after('venue', SIMULATION_AFTER_MS, service.arrived)
    return createSession(service, send)
  } catch (error) {
    send({ kind: 'unopened', error: packError(error) })
    return null
  }
}

function logTo(send: ServeOptions['send']): Log {
  const at = (level: 'error' | 'warn' | 'info' | 'debug') => (event: LogEvent, fields?: object) =>
    send({ kind: 'log', level, event, fields: { ...fields } })
  return { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') }
}

function createSession(service: VenueService, send: ServeOptions['send']): Session {
  const { calls, feed } = service
  const ends = new Map<number, () => void>()
  let refusal = service.refusal()

  function sendRefusal(): void {
    const reason = service.refusal()
    if (reason !== refusal) send({ kind: 'refusal', reason })
    refusal = reason
  }

  async function call({ id, name, given }: Extract<ToVenue, { kind: 'call' }>): Promise<void> {
    const answer: FromVenue = await callByName(calls, name, given).then(
      (value) => ({ kind: 'answer', id, value }),
      (error: unknown) => ({ kind: 'error', id, error: packError(error) }),
    )
    sendRefusal()
    send(answer)
  }

  async function close(): Promise<void> {
    await service.close().catch(defaultOnFailure('venue', undefined))
    send({ kind: 'closed' })
  }

  function receive(message: Exclude<ToVenue, OpenMessage>): unknown {
    switch (message.kind) {
      case 'call':
        return call(message)
      case 'topic':
        return ends.set(message.id, feed.subscribe(message.topic, threadSink(message.id, send)))
      case 'account':
        return ends.set(message.id, feed.account(message.auth, threadSink(message.id, send)))
      case 'unsubscribe':
        ends.get(message.id)?.()
        return ends.delete(message.id)
      case 'close':
        return close()
      default:
        return null
    }
  }

  return { receive: guarded('venue', receive) }
}

function threadSink(id: number, send: ServeOptions['send']): AccountSink {
  const at = (event: SinkEvent) => () => send({ kind: 'sink', id, event })
  return {
    message: (message) => send({ kind: 'message', id, message: packMessage(message) }),
    opened: at('opened'),
    lost: at('lost'),
    refused: at('refused'),
    expired: at('expired'),
  }
}
