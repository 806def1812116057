import { Failure } from '../../core/failure.ts'
import type { FeedAuth } from '../../core/feed.ts'
import { isObject } from '../../core/json.ts'
import { type Log, type LogFields, UPSTREAM_FAULTS, UpstreamError } from '../../core/ports.ts'
import { FAILURES, type FailureCode } from '../../spec/failures.ts'
import type { Part } from '../../spec/operator/process.ts'
import type { PackedMessage } from '../messages/packed.ts'
import type { VenueCalls, VenueOptions } from '../service.ts'

/** Messages between the gateway's thread and the embedded venue's. They are cloned; texts arrive unchanged. */

/** The first message to the venue's thread. */
export type OpenMessage = {
  readonly kind: 'open'
  readonly options: VenueOptions
  /** The path of the gateway's store, beside which the venue has its file; or `:memory:`. */
  readonly storePath: string
  /** The venue's time, written by its thread: one 64-bit integer of milliseconds. */
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
      readonly level: Exclude<keyof Log, 'isDebug'>
      readonly event: string
      readonly fields: LogFields | undefined
    }
  | { readonly kind: 'fault'; readonly part: Part; readonly error: PackedError }
  | { readonly kind: 'refusal'; readonly reason: string | null }
  /** Whether long work, during which the thread does not answer, has begun or ended. */
  | { readonly kind: 'busy'; readonly isBusy: boolean }
  | { readonly kind: 'pong' }
  | { readonly kind: 'closed' }

/** Whether a message is from the venue's thread, the only writer of its port. */
export function isFromVenue(message: unknown): message is FromVenue {
  return isObject(message) && typeof message['kind'] === 'string'
}

/** Whether a message is from the gateway's thread. */
export function isToVenue(message: unknown): message is ToVenue {
  return isObject(message) && typeof message['kind'] === 'string'
}

/** An error as plain data, because classes do not survive cloning. */
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

/** The original error: a Failure, an UpstreamError, or an Error with name, code and cause. */
export function unpackError(packed: PackedError): Error {
  const { name, message, code = '', meta, sent = true, stack } = packed
  const options = packed.cause && { cause: unpackError(packed.cause) }
  const fault = UPSTREAM_FAULTS.find((known) => known === code)
  if (name === 'UpstreamError' && fault) return new UpstreamError(fault, sent, options)
  if (name === 'Failure' && isFailureCode(code)) return new Failure(code, meta, options)
  const error = new Error(message, options)
  return Object.assign(error, { name, ...(code && { code }), ...(stack && { stack }) })
}

function isFailureCode(code: string): code is FailureCode {
  return Object.hasOwn(FAILURES, code)
}
