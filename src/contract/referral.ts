import { type Static, Type } from '@sinclair/typebox'
import { AccountId, oneOf } from './envelope.ts'
import { LIMITS } from './limits.ts'

/**
 * The form of a code:
 * - `claim`: claimed at this service, after trimming and upper-casing,
 * - `venue`: claimed or renamed at the venue,
 * - `lookUp`: looked up.
 */
export const REFERRAL_CODE = {
  claim: /^[A-Z0-9]{4,10}$/,
  venue: /^[A-Z0-9]{4,15}$/,
  lookUp: /^[A-Za-z0-9_-]{1,32}$/,
} as const

/** Reserved words that cannot be claimed. The service's name, a setting, is reserved too. */
// biome-ignore format: read as a list
export const RESERVED_CODES: readonly string[] = [
  'ADMIN', 'API', 'SWAP', 'EARN', 'FUTURES', 'ACCOUNT', 'BRIDGE', 'HELP', 'LOGIN', 'OFFLINE', 'DASHBOARD',
  'SUPPORT', 'OFFICIAL', 'TEAM', 'STAFF', 'MOD', 'NULL', 'UNDEFINED',
]

/** Reasons for refusing a code, in the order of the checks. */
const CODE_REFUSALS = [
  'format',
  'reserved',
  'not_configured',
  'already_affiliate',
  'taken',
  'not_affiliate',
] as const

export type CodeRefusal = (typeof CODE_REFUSALS)[number]

/** Reasons for refusing to raise a rate. */
const RATE_REFUSALS = ['not_configured', 'not_affiliate', 'already_set'] as const

export type RateRefusal = (typeof RATE_REFUSALS)[number]

/** Body of `POST /api/prep/referral/code`. A code of the wrong form gets an answer with a reason instead of an error. */
export const ReferralCodeBody = Type.Object({
  accountId: AccountId,
  code: Type.String({
    maxLength: LIMITS.queryValueMaxChars,
    description: 'Four to ten letters and digits; trimmed and upper-cased.',
  }),
})

export type ReferralCodeBody = Static<typeof ReferralCodeBody>

/** Body of `POST /api/prep/referral/rate`. The rate is the operator's setting. */
export const ReferralRateBody = Type.Object({ accountId: AccountId })

export type ReferralRateBody = Static<typeof ReferralRateBody>

/** Body of `POST /api/admin/venue/promote`: the account that becomes a first-level affiliate of the embedded venue. */
export const PromotionBody = Type.Object({ accountId: AccountId })

export type PromotionBody = Static<typeof PromotionBody>

export const ReferralVerifyAnswer = Type.Object({ code: Type.String(), valid: Type.Boolean() })

export const ReferralCodeAnswer = Type.Object({
  created: Type.Boolean(),
  code: Type.Optional(Type.String({ description: 'With created: true.' })),
  maxRebateRate: Type.Optional(Type.Number({ description: 'With created: true.' })),
  reason: Type.Optional(oneOf(CODE_REFUSALS, 'With created: false.')),
})

export const ReferralRateAnswer = Type.Object({
  updated: Type.Boolean(),
  rate: Type.Optional(
    Type.Number({ description: 'The rate as it is now, where the account has one.' }),
  ),
  reason: Type.Optional(oneOf(RATE_REFUSALS, 'With updated: false.')),
})
