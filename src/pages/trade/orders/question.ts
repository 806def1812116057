import { effect, signal } from '@preact/signals'
import type { Side } from '../../../perp/positions.ts'
import type { Rows } from '../../common/pairs.tsx'
import { type PrivateCall, type StampedCall, stamp } from '../account/relay.ts'
import { signingSecond } from '../feed/clock.ts'
import { A } from '../messages/account.ts'
import { M } from '../messages/page.ts'
import type { ReadOutcome, WriteLookUp } from './outcomes.ts'
import { asksFirst } from './switches.ts'
import type { TicketLimits } from './ticket-limits.ts'

/** A write, and how its outcome is read. */
export type Sending = PrivateCall & {
  readonly outcome: ReadOutcome
  /** For a new order: finds it when the answer is lost. */
  readonly lookUp?: WriteLookUp
}

/** A write with the texts that describe it. */
export type ShownWrite = Sending & {
  readonly title: string
  readonly rows: Rows
  /** The side of a new order, in whose colour it is confirmed. */
  readonly side?: Side
  /** The verdict of the account's limits, if it has not been shown before. */
  readonly limits?: TicketLimits | null
  /** Whether it cancels an order, which the buttons name. */
  readonly cancels?: true
  /** Whether the reader is asked even if confirmations are switched off. */
  readonly mustAsk?: boolean
  /** Whether the reader has agreed already, as to a part of a larger order. */
  readonly isAgreed?: boolean
}

/** The call that waits for a yes before it is signed. */
export type Question = {
  readonly title: string
  readonly rows: Rows
  readonly tone: 'buy' | 'sell' | undefined
  /** The texts of the buttons that say no and yes. */
  readonly answers: readonly [no: string, yes: string]
  readonly limits: TicketLimits | null
  readonly call: StampedCall
  readonly answer: (yes: boolean) => void
}

export const question = signal<Question | null>(null)

/**
 * Maximum age of the text of a question. An older one gets the present time, since the server accepts a signature for
 * five minutes.
 */
const TEXT_AGE_MAX_MS = 120_000

effect(() => {
  const { value } = question
  if (value && isTextOld(value.call)) question.value = { ...value, call: stamp(value.call) }
})

/** Whether the time in a text has to be renewed before it is signed. */
export function isTextOld({ timestamp }: StampedCall): boolean {
  return signingSecond.value - Number(timestamp) > TEXT_AGE_MAX_MS
}

/**
 * Shows the bytes and asks; null if the reader declines. With confirmations switched off it returns the stamped call at
 * once.
 */
export async function confirmed(
  order: Pick<
    ShownWrite,
    'title' | 'rows' | 'limits' | 'side' | 'cancels' | 'isAgreed' | 'mustAsk'
  >,
  call: PrivateCall,
): Promise<StampedCall | null> {
  const { title, rows, limits = null, side, cancels } = order
  const stamped = stamp(call)
  if (order.isAgreed || !(asksFirst.peek() || order.mustAsk)) return stamped
  question.peek()?.answer(false)
  return await new Promise((resolve) => {
    const tone = side && (side === 'BUY' ? 'buy' : 'sell')
    const answers = cancels ? A.confirm.cancels : ([M.cancel, A.confirm.sign] as const)
    const answer = (yes: boolean) => {
      const shown = question.peek()
      question.value = null
      resolve(yes && shown ? shown.call : null)
    }
    question.value = { title, rows, limits, tone, answers, call: stamped, answer }
  })
}
