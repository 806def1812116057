import { REFERRAL_CODE } from '../../contract/referral.ts'
import { isObject, rowsAt } from '../../core/json.ts'
import { toAmount } from '../../perp/amounts.ts'
import { type BodyFields, bodyText } from '../../perp/write-body.ts'
import { accountRead, accountWrite } from '../account-call.ts'
import { runAudited } from '../audit.ts'
import { invalidArgument, toolRefusal, toToolFailure } from '../refusal.ts'
import { pageAnswer } from '../results.ts'
import { totalRows } from '../rows.ts'
import type { SignedContext, Tool } from '../tool.ts'
import {
  argumentSchema,
  choice,
  decimal,
  optional,
  pageArgument,
  sizeArgument,
  text,
} from '../tool-arguments.ts'
import { accountTool, publicTool, writeTool } from '../tool-kinds.ts'
import { cleanedPayload } from '../untrusted-text.ts'

const verifyReferralCode = publicTool({
  name: 'verify_referral_code',
  description: 'Whether a referral code exists.',
  arguments: argumentSchema({ code: text('1-32 characters.', { maxLength: 32 }) }),
  untrusted: true,
  run: async ({ client }, { code }) =>
    cleanedPayload(await client.get('/api/prep/referral/verify', { code })),
})

const RANGES = ['1d', '7d', '30d', 'all_time'] as const

const getReferrals = accountTool({
  name: 'get_referrals',
  description:
    'Your referral code and rates (fractions), the code that referred you, and invites, volume and rebates (USDC) split into direct and indirect.',
  arguments: argumentSchema({ time_range: choice(RANGES, 'Period of the figures.', '30d') }),
  hints: { not_found: 'This venue has no referrals.' },
  untrusted: true,
  run: async (context, { time_range }) => {
    const parts = await Promise.allSettled([
      accountRead(context, '/v1/referral/multi_level/statistics', { time_range }),
      accountRead(context, '/v1/referral/multi_level/rebate_info'),
      accountRead(context, '/v1/referral/info'),
    ])
    const [first] = parts
    if (first.status === 'rejected' && parts.every(({ status }) => status === 'rejected'))
      throw first.reason
    const [statistics, code, info] = parts.map(partShown)
    return { time_range, statistics, code, info }
  },
})

const RECORDS = {
  referees: '/v1/referral/multi_level/referee_list',
  rebates_as_referrer: '/v1/referral/referral_history',
  rebates_as_referee: '/v1/referral/referee_history',
} as const

const RECORD_KINDS = ['referees', 'rebates_as_referrer', 'rebates_as_referee'] as const

const listReferralRecords = accountTool({
  name: 'list_referral_records',
  description: 'Users who joined under your code, or rebates paid in USDC, newest first.',
  arguments: argumentSchema({
    kind: choice(RECORD_KINDS, 'What to list.'),
    page: pageArgument,
    size: sizeArgument,
  }),
  hints: { not_found: 'This venue has no referrals.' },
  untrusted: true,
  run: async (context, { kind, ...at }) => {
    const answer = await accountRead(context, RECORDS[kind], at)
    const records = rowsAt(answer, 'rows').map((row) => cleanedPayload(row))
    return { kind, ...pageAnswer(records, { rows: 'rows', total: totalRows(answer), ...at }) }
  },
})

const LOOK_UP = { tool: 'get_referrals', arguments: {} } as const
const NO_REFERRALS = { not_found: 'This venue lacks referrals, or has no such code.' } as const

const bindReferralCode = writeTool({
  name: 'bind_referral_code',
  description: 'Join under a referral code. Permanent; only before the first deposit.',
  arguments: argumentSchema({ code: text('Their code.', { maxLength: 32 }) }),
  effect: 'joins under the code for ever',
  destructive: false,
  idempotent: true,
  hints: NO_REFERRALS,
  run: async (context, { code }) => {
    const result = await post(context, 'bind_referral_code', '/v1/referral/bind', {
      referral_code: code,
    })
    return { bound: true, code, ...result }
  },
})

const CODE_FORM = '4-15 of A-Z0-9.'

const claimReferralCode = writeTool({
  name: 'claim_referral_code',
  description: 'Get a referral code.',
  arguments: argumentSchema({
    referral_code: optional(text(CODE_FORM)),
    referee_rebate_rate: optional(decimal('Fraction.')),
  }),
  effect: 'claims a referral code',
  destructive: false,
  idempotent: true,
  hints: {
    ...NO_REFERRALS,
    account_restricted:
      'read_account_path /v1/referral/multi_level/volume_prerequisite tells the volume an account needs first.',
  },
  run: (context, given) => {
    if (given.referral_code !== undefined) assertCode('referral_code', given.referral_code)
    const { referral_code, referee_rebate_rate: rate } = given
    return post(context, 'claim_referral_code', '/v1/referral/multi_level/claim_code', {
      referral_code,
      referee_rebate_rate: toAmount(rate) ?? undefined,
    })
  },
})

const renameReferralCode = writeTool({
  name: 'rename_referral_code',
  description: 'Rename your code, before the first user joins.',
  arguments: argumentSchema({ code: text(CODE_FORM) }),
  effect: 'renames your code to code',
  idempotent: true,
  hints: NO_REFERRALS,
  run: async (context, { code }) => {
    assertCode('code', code)
    const from = await ownCode(context)
    const body = { current_referral_code: from, new_referral_code: code }
    const path = '/v1/referral/edit_referral_code'
    const result = await post(context, 'rename_referral_code', path, body)
    return { renamed: true, from, to: code, ...result }
  },
})

/** Tools about referrals. */
export const REFERRAL_TOOLS: readonly Tool[] = [
  verifyReferralCode,
  getReferrals,
  listReferralRecords,
  bindReferralCode,
  claimReferralCode,
  renameReferralCode,
]

/** A part of the answer, or its failure code if the venue refused it for this account. */
function partShown(part: PromiseSettledResult<unknown>): unknown {
  return part.status === 'fulfilled'
    ? cleanedPayload(part.value)
    : { unavailable: toToolFailure(part.reason).code }
}

function assertCode(name: string, code: string): void {
  const { venue } = REFERRAL_CODE
  if (venue.test(code)) return
  // Only case and surrounding spaces are corrected: removing a letter could give another person's code.
  const meant = code.trim().toUpperCase()
  throw invalidArgument(name, 'malformed', {
    expected: CODE_FORM,
    ...(venue.test(meant) && { suggestion: meant }),
  })
}

async function ownCode(context: SignedContext): Promise<string> {
  const info = await accountRead(context, '/v1/referral/multi_level/rebate_info')
  const code = isObject(info) ? info['referral_code'] : undefined
  if (typeof code === 'string' && code !== '') return code
  throw toolRefusal('not_found', { next: 'There is no code to rename: claim_referral_code first.' })
}

async function post(context: SignedContext, tool: string, path: string, body: BodyFields) {
  const call = { method: 'POST', path, body: bodyText(body) } as const
  return runAudited(context, { tool, call }, async () => {
    const result = await accountWrite(context, { ...call, lookUp: LOOK_UP })
    return Object.assign({}, cleanedPayload(result))
  })
}
