import { effect, signal } from '@preact/signals'
import type { Side } from '../../../perp/positions.ts'
import type { Rows } from '../../common/pairs.tsx'
import { type PrivateCall, type StampedCall, stamp } from '../account/relay.ts'
import { signingSecond } from '../feed/clock.ts'
import { ACCOUNT_TEXTS } from '../messages/account.ts'
import { PAGE_TEXTS } from '../messages/page.ts'
import type { ReadOutcome, WriteLookUp } from './outcomes.ts'
import { asksFirst } from './switches.ts'
import type { TicketLimits } from './ticket-limits.ts'

/** A write. `outcome` reads the write's outcome. */
export type WriteToSend = PrivateCall & {
  readonly outcome: ReadOutcome
  /**
   * Whether the write only reduces a position. Such a write and a cancel are exits: they never wait for a write that may
   * open a position. A reduction waits for the first send of another reduction, and a cancel for that of the same cancel.
   */
  readonly reduces?: boolean
  /** For a new order: looks it up if the answer is lost. */
  readonly lookUp?: WriteLookUp
}

/** A write with the texts that describe it. */
export type ShownWrite = WriteToSend & {
  readonly title: string
  readonly rows: Rows
  /** The side of a new order, which sets the colour of its confirmation. */
  readonly side?: Side
  /** The verdict of the account's limits, if it was not shown before. */
  readonly limits?: TicketLimits | null
  /** Whether to ask even if confirmations are switched off. */
  readonly mustAsk?: boolean
  /** Whether the user has already agreed, such as to all parts of a larger order. */
  readonly isAgreed?: boolean
}

/** A call that waits for the user's confirmation before it is signed. */
export type Question = {
  readonly title: string
  readonly rows: Rows
  readonly tone: 'buy' | 'sell' | undefined
  /** The texts of the two buttons. */
  readonly answers: readonly [no: string, yes: string]
  readonly limits: TicketLimits | null
  readonly call: StampedCall
  readonly answer: (yes: boolean) => void
}

export const question = signal<Question | null>(null)

/**
 * Maximum age of a timestamp in a question. An older timestamp is renewed, because the server accepts a signature for
 * five minutes.
 */
const TEXT_AGE_MAX_MS = 120_000

effect(() => {
  const { value } = question
  if (value && isTextOld(value.call)) question.value = { ...value, call: stamp(value.call) }
})

/** Whether a call's timestamp must be renewed before it is signed. */
export function isTextOld({ timestamp }: StampedCall): boolean {
  return signingSecond.value - Number(timestamp) > TEXT_AGE_MAX_MS
}

/**
 * Shows the bytes to sign and asks for confirmation; null if the user declines. With confirmations switched off,
 * returns the stamped call at once.
 */
export async function confirmWrite(
  order: Pick<ShownWrite, 'title' | 'rows' | 'limits' | 'side' | 'isAgreed' | 'mustAsk'>,
  call: PrivateCall,
): Promise<StampedCall | null> {
  const { title, rows, limits = null, side } = order
  const stamped = stamp(call)
  if (order.isAgreed || !(asksFirst.peek() || order.mustAsk)) return stamped
  question.peek()?.answer(false)
  return await new Promise((resolve) => {
    const tone = side && (side === 'BUY' ? 'buy' : 'sell')
    const answers =
      call.method === 'DELETE'
        ? ACCOUNT_TEXTS.confirm.cancels
        : ([PAGE_TEXTS.cancel, ACCOUNT_TEXTS.confirm.sign] as const)
    const answer = (yes: boolean) => {
      const shown = question.peek()
      question.value = null
      resolve(yes && shown ? shown.call : null)
    }
    question.value = { title, rows, limits, tone, answers, call: stamped, answer }
  })
}
