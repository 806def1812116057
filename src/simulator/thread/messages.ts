import { isFailureCode } from '../../contract/failures.ts'
import type { LogEvent } from '../../contract/operator/log-events.ts'
import type { ProcessPart } from '../../contract/operator/process.ts'
import { Failure } from '../../core/failure.ts'
import type { FeedAuth } from '../../core/feed.ts'
import { isObject } from '../../core/json.ts'
import { type Log, type LogFields, UPSTREAM_FAULTS, UpstreamError } from '../../core/ports.ts'
import type { PackedMessage } from '../messages/message.ts'
import type { VenueCalls, VenueOptions } from '../service.ts'

/** The calls to the venue, and whether a failed call may have changed its world. */
export const VENUE_CALLS = {
  answer: 'write',
  promote: 'write',
  listAccounts: 'read',
  showAccount: 'read',
  fundAccount: 'write',
  indexPrices: 'read',
  step: 'write',
  check: 'read',
  stillPrices: 'read',
  runCommand: 'write',
  readAccount: 'read',
  mirrored: 'read',
  book: 'read',
} as const satisfies Record<keyof VenueCalls, 'read' | 'write'>

/** Calls that all go through one function. The types of both sides guarantee which answer belongs to which call. */
export function toVenueCalls(
  call: (name: keyof VenueCalls, given: readonly unknown[]) => Promise<unknown>,
): VenueCalls {
  const calls = Object.keys(VENUE_CALLS)
    .filter(isVenueCall)
    .map((name) => [name, (...given: readonly unknown[]) => call(name, given)])
  return Object.fromEntries(calls)
}

function isVenueCall(name: string): name is keyof VenueCalls {
  return Object.hasOwn(VENUE_CALLS, name)
}

/** Makes the call of a name. */
export function callByName(
  calls: VenueCalls,
  name: keyof VenueCalls,
  given: readonly unknown[],
): Promise<unknown> {
  const call = calls[name] as (...given: readonly unknown[]) => Promise<unknown>
  return Promise.try(call, ...given)
}

/** Messages between the gateway's thread and the venue's thread. They are cloned, and texts arrive unchanged. */

/** The first message to the venue's thread. */
export type OpenMessage = {
  readonly kind: 'open'
  readonly options: VenueOptions
  /** The path of the gateway's store, or `:memory:`. The venue's own file is in the same folder. */
  readonly storePath: string
  /** The venue's time, which its thread writes: one 64-bit integer in ms. */
  readonly clock: SharedArrayBuffer
}

export type ToVenue =
  | OpenMessage
  | {
      readonly kind: 'call'
      readonly id: number
      readonly name: keyof VenueCalls
      readonly given: readonly unknown[]
    }
  | { readonly kind: 'topic'; readonly id: number; readonly topic: string }
  | { readonly kind: 'account'; readonly id: number; readonly auth: FeedAuth }
  | { readonly kind: 'unsubscribe'; readonly id: number }
  | { readonly kind: 'ping' }
  | { readonly kind: 'close' }

export type SinkEvent = 'opened' | 'lost' | 'refused' | 'expired'

export type FromVenue =
  | { readonly kind: 'open'; readonly port: number | null }
  | { readonly kind: 'unopened'; readonly error: PackedError }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: PackedError }
  | { readonly kind: 'message'; readonly id: number; readonly message: PackedMessage }
  | { readonly kind: 'sink'; readonly id: number; readonly event: SinkEvent }
  | {
      readonly kind: 'log'
      readonly level: Exclude<keyof Log, 'isWritten'>
      readonly event: LogEvent
      readonly fields: LogFields | undefined
    }
  | { readonly kind: 'fault'; readonly part: ProcessPart; readonly error: PackedError }
  | { readonly kind: 'refusal'; readonly reason: string | null }
  /** Long work has begun or ended. In between, the thread does not answer. */
  | { readonly kind: 'busy'; readonly isBusy: boolean }
  | { readonly kind: 'pong' }
  | { readonly kind: 'closed' }

type Fields = Readonly<Record<string, unknown>>
type Check = (fields: Fields) => boolean

const anyValue: Check = () => true
const hasId: Check = ({ id }) => Number.isSafeInteger(id)
const hasError: Check = ({ error }) => isObject(error) && typeof error['message'] === 'string'

const SINK_EVENTS: readonly unknown[] = [
  'opened',
  'lost',
  'refused',
  'expired',
] satisfies SinkEvent[]
const LEVELS: readonly unknown[] = ['error', 'warn', 'info', 'debug']

/**
 * The fields of each kind of message that decide how it is handled. Other fields need no check: both threads are this
 * program, so their types agree.
 */
const FROM_VENUE: Readonly<Record<FromVenue['kind'], Check>> = {
  open: ({ port }) => port === null || Number.isSafeInteger(port),
  unopened: hasError,
  answer: hasId,
  error: (fields) => hasId(fields) && hasError(fields),
  message: (fields) => hasId(fields) && isObject(fields['message']),
  sink: (fields) => hasId(fields) && SINK_EVENTS.includes(fields['event']),
  log: ({ level, event }) => LEVELS.includes(level) && typeof event === 'string',
  fault: (fields) => typeof fields['part'] === 'string' && hasError(fields),
  refusal: ({ reason }) => reason === null || typeof reason === 'string',
  busy: ({ isBusy }) => typeof isBusy === 'boolean',
  pong: anyValue,
  closed: anyValue,
}

const TO_VENUE: Readonly<Record<ToVenue['kind'], Check>> = {
  open: ({ options, storePath, clock }) =>
    isObject(options) && typeof storePath === 'string' && clock instanceof SharedArrayBuffer,
  call: (fields) =>
    hasId(fields) && typeof fields['name'] === 'string' && Array.isArray(fields['given']),
  topic: (fields) => hasId(fields) && typeof fields['topic'] === 'string',
  account: (fields) => hasId(fields) && isObject(fields['auth']),
  unsubscribe: hasId,
  ping: anyValue,
  close: anyValue,
}

/** Whether a message has a form that the venue's thread sends. Only that thread writes to its port. */
export function isFromVenue(message: unknown): message is FromVenue {
  return isKnownMessage(FROM_VENUE, message)
}

/** Whether a message has a form that the gateway's thread sends. */
export function isToVenue(message: unknown): message is ToVenue {
  return isKnownMessage(TO_VENUE, message)
}

function isKnownMessage(kinds: Readonly<Record<string, Check>>, message: unknown): boolean {
  if (!isObject(message)) return false
  const { kind } = message
  if (typeof kind !== 'string' || !Object.hasOwn(kinds, kind)) return false
  return kinds[kind]?.(message) ?? false
}

/** An error as plain data, because error classes do not survive cloning. */
export type PackedError = {
  readonly name: string
  readonly message: string
  readonly stack?: string | undefined
  readonly code?: string
  readonly meta?: Failure['meta']
  readonly sent?: boolean
  readonly cause?: PackedError
}

export function packError(error: unknown): PackedError {
  if (!(error instanceof Error)) return { name: 'Error', message: 'unknown' }
  const { name, message, stack, cause } = error
  return {
    ...{ name, message, stack },
    ...(error instanceof Failure && { code: error.code, meta: error.meta }),
    ...(error instanceof UpstreamError && { code: error.fault, sent: error.sent }),
    ...(!(error instanceof Failure) && 'code' in error && { code: String(error.code) }),
    ...(cause instanceof Error && { cause: packError(cause) }),
  }
}

/** The original error: a Failure, an UpstreamError, or an Error with its name, code and cause. */
export function unpackError(packed: PackedError): Error {
  const { name, message, code = '', meta, sent = true, stack } = packed
  const options = packed.cause && { cause: unpackError(packed.cause) }
  const fault = UPSTREAM_FAULTS.find((known) => known === code)
  if (name === 'UpstreamError' && fault) return new UpstreamError(fault, sent, options)
  if (name === 'Failure' && isFailureCode(code)) return new Failure(code, meta, options)
  const error = new Error(message, options)
  return Object.assign(error, { name, ...(code && { code }), ...(stack && { stack }) })
}
