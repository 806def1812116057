import { LIMITS } from '../../contract/limits.ts'
import {
  type BodyFraming,
  chunked,
  fixedLengthBody,
  joinedPending,
  NO_BYTES_LEFT,
  untilClose,
} from './framing.ts'

/**
 * The state of an answer after more bytes: incomplete (`more`), complete (`whole`), or complete with extra bytes behind
 * it (`spilled`).
 */
export type Progress = 'more' | 'whole' | 'spilled'

/** Parses the answer to one call while it arrives. */
export type Reading = {
  /** Takes the next bytes. Throws an Error for an invalid answer or an overlong head. */
  readonly take: (bytes: Buffer) => Progress
  /** Whether any byte of the answer has arrived. */
  readonly hasBegun: () => boolean
  /** Whether the body of the answer ends only when the connection closes. */
  readonly endsWithConnection: () => boolean
}

type Listener = {
  /** Called once, before any part of the body. */
  readonly head: (head: Head) => void
  readonly part: (part: Uint8Array) => void
}

const HEAD_END = '\r\n\r\n'

/** Parses an answer. Interim answers (1xx) are skipped. */
export function createReading({ head: onHead, part }: Listener): Reading {
  let pending: Buffer = NO_BYTES_LEFT
  let headBytes = 0
  let found: Head | null = null

  /** Parses the next head. Returns the bytes after it; null while the head is incomplete. */
  function takeHead(bytes: Buffer): Buffer | null {
    // The search skips bytes that were searched before, except the last few, because a separator may have been split.
    const from = Math.max(0, pending.length - HEAD_END.length)
    const all = joinedPending(pending, bytes)
    const end = all.indexOf(HEAD_END, from)
    const isWhole = end >= 0
    assertShort(headBytes + (isWhole ? end : all.length))
    pending = isWhole ? NO_BYTES_LEFT : all
    if (!isWhole) return null
    headBytes += end + HEAD_END.length
    const head = parseHead(all.toString('latin1', 0, end))
    if (head.status >= 200) found = head
    return all.subarray(end + HEAD_END.length)
  }

  function takeFraming(
    bytes: Buffer,
  ): { readonly framing: BodyFraming; readonly rest: Buffer } | null {
    if (found) return { framing: found.framing, rest: bytes }
    let rest: Buffer | null = bytes
    while (!found) {
      rest = takeHead(rest)
      if (!rest) return null
    }
    const head: Head = found
    onHead(head)
    return { framing: head.framing, rest }
  }

  return {
    take: (bytes) => {
      const body = takeFraming(bytes)
      const behind = body?.framing(body.rest, part)
      if (!behind) return 'more'
      return behind.length === 0 ? 'whole' : 'spilled'
    },
    hasBegun: () => found !== null || headBytes > 0 || pending.length > 0,
    endsWithConnection: () => found?.framing === untilClose,
  }
}

function assertShort(bytes: number): void {
  if (bytes > LIMITS.upstreamHeadMaxBytes) throw new Error('a head without end')
}

/** The status line and header fields of an answer. */
export type Head = {
  readonly status: number
  /** Names in lower case. The values of a repeated name are joined. */
  readonly fields: ReadonlyMap<string, string>
  /** How the body that follows is framed. */
  readonly framing: BodyFraming
  /** Whether the connection may carry the next call. */
  readonly keeps: boolean
}

/** Matches a status line and header lines without control characters or folding (RFC 9112, 5.2 lets us refuse it). */
const HEAD =
  /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?(?:\r\n[!#$%&'*+.^_`|~\w-]+:[\t\x20-\x7e\x80-\xff]*)*$/

const LENGTH = /^\d{1,15}$/

const LINE_END = '\r\n'

/** Parses a head. Throws an Error if the head is invalid or the length of the body is ambiguous. */
function parseHead(text: string): Head {
  const [, minor, digits] = HEAD.exec(text) ?? []
  if (digits === undefined) throw new Error('no HTTP/1 head')
  const status = Number(digits)
  if (status === 101) throw new Error('an upgrade that nobody asked for')
  const fields = headFields(text)
  const isBare = status < 200 || status === 204 || status === 304
  const length = isBare ? 0 : bodyLength(fields)
  const isOpen = length === null
  const ends = isOpen || minor === '0' || hasToken(fields.get('connection'), 'close')
  return {
    status,
    fields,
    framing: length === 'chunked' ? chunked() : isOpen ? untilClose : fixedLengthBody(length),
    keeps: !ends,
  }
}

/** The header fields of a head that matches `HEAD`. */
function headFields(text: string): Map<string, string> {
  const fields = new Map<string, string>()
  for (let end = text.indexOf(LINE_END); end >= 0; ) {
    const start = end + LINE_END.length
    const colon = text.indexOf(':', start)
    end = text.indexOf(LINE_END, colon)
    const name = text.slice(start, colon).toLowerCase()
    const value = text.slice(colon + 1, end < 0 ? text.length : end).trim()
    const before = fields.get(name)
    fields.set(name, before === undefined ? value : `${before}, ${value}`)
  }
  return fields
}

/** The length of a body (RFC 9112, 6.3); null if it ends with the connection. Conflicting lengths throw an Error. */
function bodyLength(fields: ReadonlyMap<string, string>): number | 'chunked' | null {
  const coding = fields.get('transfer-encoding')
  const length = fields.get('content-length')
  if (coding !== undefined) {
    if (length !== undefined || coding.toLowerCase() !== 'chunked') {
      throw new Error('a body without a length to trust')
    }
    return 'chunked'
  }
  if (length === undefined) return null
  if (LENGTH.test(length)) return Number(length)
  const [first = '', ...others] = length.split(/, */)
  if (!LENGTH.test(first) || others.some((other) => other !== first)) {
    throw new Error('a body without a length to trust')
  }
  return Number(first)
}

function hasToken(list: string | undefined, token: string): boolean {
  return (
    list
      ?.toLowerCase()
      .split(/[\s,]+/)
      .includes(token) ?? false
  )
}
