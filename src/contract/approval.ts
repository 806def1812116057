import { type Static, Type } from '@sinclair/typebox'
import { HOUR_MS, MINUTE_MS } from './durations.ts'
import { AccountId, oneOf } from './envelope.ts'

/** Bounds of approvals by account owners. */
export const APPROVAL = {
  /** Time an owner has to decide. Afterwards the write is refused. */
  decideWithinMs: 10 * MINUTE_MS,
  /** Time after the approval within which the write may be sent. */
  useWithinMs: 2 * MINUTE_MS,
  /** Maximum number of approvals per account that are waiting, refused, or approved and unused. */
  waitingMax: 10,
  /** How long an approval is kept. */
  keptMs: 2 * HOUR_MS,
  bodyMaxChars: 16_384,
} as const

/** Path of the page on which an owner decides; the approval's id follows. */
export const APPROVAL_PAGE = '/approve/'

/** The id of an approval: 128 random bits. */
export const APPROVAL_ID = '^[0-9a-f]{32}$'

/** The states of an approval. */
const APPROVAL_STATES = ['waiting', 'approved', 'refused', 'used', 'expired'] as const

export type ApprovalState = (typeof APPROVAL_STATES)[number]

const time = (description: string) => Type.Integer({ description })

/** A write that waits for its account's owner, or its result. */
export const ApprovalAnswer = Type.Object({
  id: Type.String({ pattern: APPROVAL_ID }),
  state: oneOf(
    APPROVAL_STATES,
    'An approved write may be sent once, within two minutes; what is not decided in ten minutes has expired.',
  ),
  accountId: AccountId,
  method: Type.String(),
  path: Type.String(),
  body: Type.String({ description: 'The exact body that would be sent.' }),
  order: Type.Array(Type.String(), { description: 'The write in words, one line each.' }),
  key: Type.Optional(Type.String({ description: 'The trading key that asked.' })),
  program: Type.Optional(
    Type.String({
      description: 'Name that the asking program gives itself. Nothing proves it.',
    }),
  ),
  effects: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Position and leverage after a full fill at the mark price, one line each, from reads at most ten seconds old when the approval was asked for.',
    }),
  ),
  costUsdc: Type.Optional(
    Type.String({ description: 'Its value at its own price or the mark price.' }),
  ),
  worstUsdc: Type.Optional(
    Type.String({ description: 'Its value at the worst price; absent where that is not known.' }),
  ),
  askedAtMs: time('When it was first asked for, in milliseconds.'),
  decideUntilMs: time('Until when the owner can decide, in milliseconds.'),
  useUntilMs: Type.Optional(time('Of an approved one: until when it may be sent.')),
  nowMs: time('The time of this answer by the clock of the service.'),
})

export type ApprovalAnswer = Static<typeof ApprovalAnswer>
