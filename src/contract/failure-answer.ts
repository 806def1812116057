import { Type } from '@sinclair/typebox'
import { oneOf } from './envelope.ts'
import { FAILURES, REASONS, type Reason } from './failures.ts'

const ReasonWord = oneOf(
  reasonNames(),
  `Why: ${Object.entries(REASONS)
    .map(([reason, { meaning }]) => `${reason}: ${meaning}`)
    .join(' ')}`,
)

function reasonNames(): readonly Reason[] {
  return Object.keys(REASONS).filter((name): name is Reason => Object.hasOwn(REASONS, name))
}

const Parameter = Type.String({ description: 'The parameter it is about.' })
const Expected = Type.String({ description: 'The expected value.' })
const Suggestion = Type.Unknown({ description: 'The value that was probably meant.' })

/**
 * The machine-readable part of a failure: these fields, and figures of a failure such as `retryAfterSeconds`, `tick`,
 * `min`.
 */
const FailureMeta = Type.Object(
  {
    parameter: Type.Optional(Parameter),
    reason: Type.Optional(ReasonWord),
    expected: Type.Optional(Expected),
    suggestion: Type.Optional(Suggestion),
    faults: Type.Optional(
      Type.Array(
        Type.Object({
          parameter: Parameter,
          reason: ReasonWord,
          expected: Type.Optional(Expected),
          suggestion: Type.Optional(Suggestion),
        }),
        { description: 'All that is wrong with the request, where that is more than one thing.' },
      ),
    ),
  },
  { additionalProperties: true },
)

/** The shape of a failure on every route except the two legacy routes. */
export const FailureAnswer = Type.Object({
  code: Type.String({ enum: Object.keys(FAILURES), description: 'A stable code to branch on.' }),
  error: Type.String({ description: 'A sentence that may be shown to a user.' }),
  meta: Type.Optional(FailureMeta),
})
