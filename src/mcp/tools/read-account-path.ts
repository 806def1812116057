import { Failure } from '../../core/failure.ts'
import { suggest } from '../../settings/suggest.ts'
import { RELAY_PATHS } from '../../spec/allowlist.ts'
import { matchRelay } from '../../wire/allowlist.ts'
import { accountRead } from '../account-call.ts'
import { accountTool } from '../agent-tool.ts'
import { refusal } from '../refusal.ts'
import { trimmed } from '../results.ts'
import { args, text } from '../tool-arguments.ts'
import { cleaned, UNTRUSTED } from '../untrusted-text.ts'

const ROWS_MAX = 100

/** One-time numbers for moving a balance, which no agent may. */
const WITHHELD: ReadonlySet<string> = new Set(['/v1/withdraw_nonce', '/v1/settle_nonce'])

const READABLE = RELAY_PATHS.flatMap(({ path, methods }) => {
  return methods.includes('GET') && !WITHHELD.has(path) ? [path] : []
})

export const readAccountPath = accountTool({
  name: 'read_account_path',
  title: 'Read an account path',
  description:
    'Signed GET of a private path that no other tool covers, e.g. "/v1/client/key_info" or "/v1/referral/rebate_summary". Reads only.',
  arguments: args({ path: text('Starts with /v1/, with its query.') }),
  run: async (context, { path }) => {
    assertReadable(path)
    const { value, cut } = trimmed(cleaned(await accountRead(context, path)), ROWS_MAX)
    const more = 'Pass page and size in the query.'
    return { path, result: value, ...(cut && { truncated: true, more }), ...UNTRUSTED }
  },
})

/** Throws forbidden, naming the paths there are, before anything is signed. */
function assertReadable(path: string): void {
  if (isReadable(path)) return
  const near = suggest(path.split('?')[0] ?? '', READABLE)
  throw refusal('forbidden', {
    parameter: 'path',
    reason: 'not_relayed',
    ...(near !== undefined && { suggestion: near }),
    allowed: READABLE,
    next: 'Only these paths can be read. For writes there are tools of their own.',
  })
}

function isReadable(path: string): boolean {
  try {
    return !WITHHELD.has(matchRelay('GET', path).template)
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}
