import { effect, signal } from '@preact/signals'
import { ApiFailure } from '../../common/api.ts'
import { type Exact, textOf } from '../../common/exact-json.ts'
import { fill } from '../../common/format.ts'
import type { Rows } from '../../common/pairs.tsx'
import {
  type Call,
  type SignedCall,
  type StampedCall,
  send,
  sign,
  stamp,
} from '../account/relay.ts'
import { refreshAccount, session } from '../account/session.ts'
import { second } from '../feed/clock.ts'
import { A } from '../messages/account.ts'
import { dismiss, notify, notifyFailure } from '../messages/notices.ts'
import { M } from '../messages/page.ts'
import type { Side } from './check.ts'
import type { LookUp, OutcomeOf } from './outcomes.ts'
import { asksFirst, isBusy } from './switches.ts'

/** A write, and how what became of it is learned. */
export type Sending = Call & {
  readonly outcome: OutcomeOf
  /** Of an order that is placed: finds it when the answer is lost. */
  readonly lookUp?: LookUp
}

/** A write with what is said about it. */
export type Write = Sending & {
  readonly title: string
  readonly rows: Rows
  /** The side of an order that is placed, whose colour it is confirmed in. */
  readonly side?: Side
  /** Of an act that cancels: whether it is one order or all, which the buttons name. */
  readonly cancels?: 'one' | 'all'
  /** Whether the reader has agreed to it already, as to a part of a larger order. */
  readonly isAgreed?: boolean
}

/** Failures after which the write may have been carried out all the same. */
const UNKNOWN: ReadonlySet<string> = new Set([
  'offline',
  'outcome_unknown',
  'upstream_timeout',
  'internal',
])

/** Asks, signs once and sends. True when it was accepted; everything else is said to the reader. */
export async function write(order: Write): Promise<boolean> {
  if (!session.peek() || isHeld()) return false
  const { method, path, body } = order
  const call = await confirmed(order, { method, path, body })
  return call !== null && signAndSend(call, order)
}

/** Signs a call that the reader has seen, once, and sends it. True when it was accepted. */
export async function signAndSend(call: StampedCall, order: Sending): Promise<boolean> {
  const key = session.peek()
  // Of two that began at once, the other may be on its way by now.
  if (!key || isHeld()) return false
  return whileBusy(async () => {
    try {
      return await deliver(await sign(key, call), order)
    } catch (error) {
      notifyFailure(error, A.orders.notSent)
      return false
    }
  })
}

/** Does a write while buttons stand still, and reads the account after it. */
async function whileBusy(work: () => Promise<boolean>): Promise<boolean> {
  isBusy.value = true
  try {
    return await work()
  } finally {
    isBusy.value = false
    refreshAccount()
  }
}

/** Whether another write is on its way, which the reader is shown. */
function isHeld(): boolean {
  if (!isBusy.peek()) return false
  notify({ kind: 'bad', text: A.orders.notSent, next: A.orders.busy })
  return true
}

async function deliver(call: SignedCall, order: Sending): Promise<boolean> {
  try {
    return accepted(await send(call), order)
  } catch (error) {
    if (!(error instanceof ApiFailure) || !UNKNOWN.has(error.code)) {
      notifyFailure(error)
      return false
    }
    return order.lookUp ? find(call, order, order.lookUp) : unknown(call, order)
  }
}

function accepted(answer: Exact, order: Sending): boolean {
  const message = textOf(answer, 'error_message')
  const isAccepted = message === '' || message === 'none'
  if (isAccepted) void report(answer, order)
  else notify({ kind: 'bad', text: A.orders.venueSays, next: message })
  return isAccepted
}

/** Shows what became of an accepted write, once it has been read. */
async function report(answer: Exact, { outcome }: Sending): Promise<void> {
  const key = session.peek()
  if (key) notify(await outcome(key, answer))
  refreshAccount()
}

const LOOKS_MS = [500, 1500, 3000, 5000] as const

/** The answer is lost: the order itself is looked for, by the id it was given. */
async function find(call: SignedCall, order: Sending, lookUp: LookUp): Promise<boolean> {
  const waiting = notify({ kind: 'wait', text: A.orders.lookingUp })
  let hasLooked = false
  for (const ms of LOOKS_MS) {
    await new Promise((resolve) => setTimeout(resolve, ms))
    const seen = await lookedUp(lookUp)
    hasLooked ||= seen !== undefined
    if (!seen) continue
    dismiss(waiting)
    const { kind, text } = seen.outcome
    notify({
      kind,
      text: fill(A.orders.found, { status: A.status[seen.status] ?? seen.status }),
      next: text,
    })
    return true
  }
  dismiss(waiting)
  return unknown(call, order, hasLooked ? A.orders.notFound : A.orders.notKnown)
}

/** What a look finds; null when the venue has no such order, undefined when the venue could not be asked. */
async function lookedUp(lookUp: LookUp) {
  const key = session.peek()
  if (!key) return undefined
  try {
    return await lookUp(key)
  } catch {
    return undefined
  }
}

/** Whatever is done now, it is these bytes: the server carries them out once at most. */
function unknown(call: SignedCall, order: Sending, text: string = A.orders.notKnown): boolean {
  notify({
    kind: 'wait',
    text,
    next: A.orders.sameBytes,
    action: { label: A.orders.sendAgain, run: () => void whileBusy(() => deliver(call, order)) },
  })
  return false
}

/** What is about to be signed, waiting for a yes. */
export type Question = {
  readonly title: string
  readonly rows: Rows
  readonly tone: 'buy' | 'sell' | undefined
  /** The texts of the buttons that say no and yes. */
  readonly answers: readonly [no: string, yes: string]
  readonly call: StampedCall
  readonly answer: (yes: boolean) => void
}

export const question = signal<Question | null>(null)

/** The server takes a signature for five minutes; the text of a question older than this gets the time of now. */
const TEXT_AGE_MAX_MS = 120_000

effect(() => {
  const { value } = question
  if (value && isOld(value.call)) question.value = { ...value, call: stamp(value.call) }
})

/** Whether the time in a text has to be renewed before it is signed. */
export function isOld({ timestamp }: StampedCall): boolean {
  return second.value - Number(timestamp) > TEXT_AGE_MAX_MS
}

/** Shows the bytes and asks; null is a no. Where questions are switched off, the stamped call at once. */
async function confirmed(
  order: Pick<Write, 'title' | 'rows' | 'side' | 'cancels' | 'isAgreed'>,
  call: Call,
): Promise<StampedCall | null> {
  const { title, rows, side, cancels } = order
  const stamped = stamp(call)
  if (!asksFirst.peek() || order.isAgreed) return stamped
  question.peek()?.answer(false)
  return await new Promise((resolve) => {
    const tone = side && (side === 'BUY' ? 'buy' : 'sell')
    const answers = cancels ? A.confirm.cancels[cancels] : ([M.cancel, A.confirm.sign] as const)
    const answer = (yes: boolean) => {
      const shown = question.peek()
      question.value = null
      resolve(yes && shown ? shown.call : null)
    }
    question.value = { title, rows, tone, answers, call: stamped, answer }
  })
}
