import type { Method } from '../../contract/allowlist.ts'
/** The scope that a row requires of a key. `none` is public. */
export type KeyScope = 'none' | 'read' | 'trading' | 'asset'

/** One parsed request to the embedded venue. */
export type VenueCall = {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: string
  readonly nowMs: number
  /** The account of the verified signature; '' on public rows. */
  readonly accountId: string
  /** The caller's address; undefined for a caller in this process. */
  readonly peer?: string | undefined
  /** The part of the takeable quantity that an order gets; absent for all of it. */
  readonly fillShare?: number | undefined
}

/** A refusal in the venue's own words and codes; `status` is HTTP. */
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
 * One route of the venue. `answer` returns the `data` of the envelope (undefined: no data member), may contain
 * numbers made by `fixed` or `micro` of values.ts, and throws VenueRefusal.
 */
export type VenueRow = {
  readonly method: Method
  /** A template such as `/v1/order/{order_id}`. */
  readonly path: string
  readonly scope: KeyScope
  /**
   * `bare`: the answer is the whole body, without the envelope (chart routes). `data_and_meta`: the answer has these two
   * members, which stand side by side in the envelope.
   */
  readonly envelope?: 'bare' | 'data_and_meta'
  readonly answer: (call: VenueCall) => unknown
}

/** Public reads, by path. */
export function publicReadRows(
  answers: Readonly<Record<string, VenueRow['answer']>>,
): readonly VenueRow[] {
  return Object.entries(answers).map(([path, answer]) => publicRead(path, answer))
}

/** A row that anyone may read. */
export function publicRead(path: string, answer: VenueRow['answer']): VenueRow {
  return { method: 'GET', path, scope: 'none', answer }
}

/** A write without a key: a wallet signs its body. */
export function publicWrite(path: string, answer: VenueRow['answer']): VenueRow {
  return { method: 'POST', path, scope: 'none', answer }
}

/**
 * The current result of a read before serialisation: of a path with its query, or of the public query in a body.
 * Undefined for an unknown read.
 */
export type Peek = (
  path: string,
  of?: { readonly accountId?: string; readonly body?: string },
) => unknown
