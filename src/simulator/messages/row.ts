import type { Method } from '../../contract/allowlist.ts'
/** The scope that an endpoint requires of a key. `none` means that no key is needed. */
export type KeyScope = 'none' | 'read' | 'trading' | 'asset'

/** One parsed request to the embedded venue. */
export type VenueCall = {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: string
  readonly nowMs: number
  /** The account whose signature was verified; '' for public endpoints. */
  readonly accountId: string
  /** The caller's address; undefined if the caller is in this process. */
  readonly peer?: string | undefined
  /** The part of the available quantity that an order gets; absent for all of it. */
  readonly fillShare?: number | undefined
}

/** A refusal with the venue's code and text. `status` is the HTTP status. */
export class VenueRefusal extends Error {
  override readonly name = 'VenueRefusal'
  readonly status: number
  readonly code: number | string
  constructor(status: number, code: number | string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/**
 * One endpoint of the venue. `answer` returns the envelope's `data`; undefined means no data member. The data may
 * contain numbers made by `fixed` or `micro` of values.ts. `answer` throws VenueRefusal.
 */
export type VenueRow = {
  readonly method: Method
  /** A path template such as `/v1/order/{order_id}`. */
  readonly path: string
  readonly scope: KeyScope
  /**
   * `bare`: the answer is the whole body, without an envelope (charts). `data_and_meta`: the answer's members `data`
   * and `meta` both become members of the envelope.
   */
  readonly envelope?: 'bare' | 'data_and_meta'
  readonly answer: (call: VenueCall) => unknown
}

/** Endpoints for public reads, given by path. */
export function publicReadRows(
  answers: Readonly<Record<string, VenueRow['answer']>>,
): readonly VenueRow[] {
  return Object.entries(answers).map(([path, answer]) => publicRead(path, answer))
}

/** An endpoint for a read that needs no key. */
export function publicRead(path: string, answer: VenueRow['answer']): VenueRow {
  return { method: 'GET', path, scope: 'none', answer }
}

/** An endpoint for a write that needs no key, because a wallet signs its body. */
export function publicWrite(path: string, answer: VenueRow['answer']): VenueRow {
  return { method: 'POST', path, scope: 'none', answer }
}

/**
 * Reads a path with its query, or the public query in a body. Returns the result before it is serialised; undefined for
 * an unknown read.
 */
export type ReadUnserialised = (
  path: string,
  of?: { readonly accountId?: string; readonly body?: string },
) => unknown
