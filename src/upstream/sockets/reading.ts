import { LIMITS } from '../../spec/limits.ts'
import { joined } from '../joined.ts'
import { type Framing, untilClose } from './framing.ts'
import { type Head, parseHead } from './head.ts'

/** What bytes did to an answer: more are to come, it is whole, or it is and more came than belongs to it. */
export type Progress = 'more' | 'whole' | 'spilled'

/** The answer to one call, read as it comes in. */
export type Reading = {
  /** Takes the next bytes. Throws an Error for what is no answer, or one with too long a head. */
  readonly take: (bytes: Buffer) => Progress
  /** Whether any byte came. */
  readonly hasBegun: () => boolean
  /** Whether an answer that the connection's end cuts off is whole by that. */
  readonly endsWithConnection: () => boolean
}

type Listener = {
  /** Told once, before any part of the body. */
  readonly head: (head: Head) => void
  readonly part: (part: Uint8Array) => void
}

const HEAD_END = '\r\n\r\n'
const NOTHING = Buffer.alloc(0)

/** Reads an answer; those that only say that it will come (1xx) are passed over. */
export function createReading({ head: onHead, part }: Listener): Reading {
  let pending: Buffer = NOTHING
  let headBytes = 0
  let found: Head | null = null

  /** What lies behind the next head; null while that is not whole. */
  function takeHead(bytes: Buffer): Buffer | null {
    // What was looked through before is not looked through again, but for an end that was cut.
    const from = Math.max(0, pending.length - HEAD_END.length)
    const all = joined([pending, bytes])
    const end = all.indexOf(HEAD_END, from)
    const isWhole = end >= 0
    assertShort(headBytes + (isWhole ? end : all.length))
    pending = isWhole ? NOTHING : all
    if (!isWhole) return null
    headBytes += end + HEAD_END.length
    const head = parseHead(all.toString('latin1', 0, end))
    if (head.status >= 200) found = head
    return all.subarray(end + HEAD_END.length)
  }

  function framingOf(bytes: Buffer): { readonly framing: Framing; readonly rest: Buffer } | null {
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
      const body = framingOf(bytes)
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
