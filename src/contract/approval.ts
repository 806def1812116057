import { type Static, Type } from '@sinclair/typebox'
import { HOUR_MS, MINUTE_MS } from './durations.ts'
import { AccountId, oneOf } from './envelope.ts'

/** Bounds of approvals by the owners of accounts. */
export const APPROVAL = {
  /** How long an owner may take to decide; what is not decided then is refused. */
  decideWithinMs: 10 * MINUTE_MS,
  /** How long after the decision the approved write may be sent. */
  useWithinMs: 2 * MINUTE_MS,
  /** Approvals per account that wait, are refused, or are approved and not used. */
  waitingMax: 10,
  /** How long it is known what became of one. */
  keptMs: 2 * HOUR_MS,
  bodyMaxChars: 16_384,
} as const

/** The page on which an owner decides, before the id. */
export const APPROVAL_PAGE = '/approve/'

/** The id of an approval: 128 random bits. */
export const APPROVAL_ID = '^[0-9a-f]{32}$'

/** What an approval is at present. */
const APPROVAL_STATES = ['waiting', 'approved', 'refused', 'used', 'expired'] as const

export type ApprovalState = (typeof APPROVAL_STATES)[number]

const time = (description: string) => Type.Integer({ description })

/** A write that waits for the owner of its account, or what became of it. */
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
      description: 'What the program that asked calls itself. Nothing proves it.',
    }),
  ),
  effects: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'What position and leverage become if the orders fill whole at the mark price, one line each, from reads of the account at most ten seconds before it was asked for.',
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
