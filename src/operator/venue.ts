import { type Credentials, createClient } from '../agents/client/client.ts'
import { FIDELITIES, FIDELITY } from '../contract/venue/fidelity.ts'
import { toHex } from '../core/hex.ts'
import { isObject } from '../core/json.ts'
import { UsageError } from '../core/settings/usage-error.ts'
import { KEY_LIFE_MS, openTemporaryAccount } from './account/open.ts'
import { retryingTransport, serverUrl, waitLine } from './account/transport.ts'
import { assertEmbedded, openVenueTarget, serverFailure } from './act.ts'
import type { CommandArguments, CommandEnvironment } from './command/command.ts'
import { ACCOUNT_FLAGS } from './command/flags.ts'
import { aligned } from './command/tables.ts'

/** Prints the rules that the embedded venue models, simplifies or guesses. Returns 0. */
export async function venueFidelity({ report }: Pick<CommandEnvironment, 'report'>): Promise<0> {
  const meanings = Object.entries(FIDELITIES).map(([name, meaning]) => [name, meaning])
  const rows = FIDELITY.map(({ subject, fidelity, rule, how }) => [
    fidelity,
    subject,
    how === '' ? rule : `${rule}: ${how}`,
  ])
  report({ rows: FIDELITY }, [...aligned(meanings), '', ...aligned(rows)])
  return 0
}

/**
 * Opens an account on the embedded venue for the operator, with a key that is valid for a year. Prints the two settings
 * that let the operator run the affiliate program. Returns the exit code: 0, or 1 if the server failed.
 */
export async function venueOperator(deps: CommandEnvironment, args: CommandArguments): Promise<0> {
  const { print, world } = deps
  assertEmbedded(deps.settings, MANAGED_THERE_NOTE)
  const transport = retryingTransport({ ...world, onWait: waitLine(print) })
  const client = createClient({
    baseUrl: serverUrl(deps, args),
    transport,
    nowMs: world.clock.nowMs,
  })
  const operator = await openTemporaryAccount(client, { ...world, keyLifeMs: KEY_LIFE_MS })
  for (const line of settingLines(operator, world.clock.nowMs() + KEY_LIFE_MS)) print(line)
  return 0
}

/**
 * Makes an account of the embedded venue a first-level affiliate through the running server. Returns the exit code: 0,
 * also if the account already is an affiliate; 1 if the server refused; 64 for a missing setting or flag.
 */
export async function venuePromote(deps: CommandEnvironment, args: CommandArguments): Promise<0> {
  assertEmbedded(deps.settings, MANAGED_THERE_NOTE)
  const accountId = args.get(ACCOUNT_FLAGS.account.flag)
  if (accountId === undefined) throw new UsageError(ACCOUNT_LINE)
  const target = openVenueTarget(deps, args)
  const client = createClient({ ...target, nowMs: deps.world.clock.nowMs })
  const asked = client.post('/api/admin/venue/promote', { accountId })
  const answer = await asked.catch((error: unknown) => {
    throw serverFailure(error, target)
  })
  const isNew = isObject(answer) && answer['promoted'] === true
  deps.print(`${accountId} is ${isNew ? 'now' : 'already'} a first-level affiliate`)
  return 0
}

const MANAGED_THERE_NOTE = 'its operator account and its affiliates are managed there'
const ACCOUNT_LINE = '--account must be given: 0x and 64 hex characters'

function settingLines({ accountId, secret }: Credentials, endsAtMs: number): string[] {
  return [
    `# Set both and restart. The key ends on ${new Date(endsAtMs).toISOString().slice(0, 10)}.`,
    `PREPD_AFFILIATE_ACCOUNT_ID=${accountId}`,
    `PREPD_AFFILIATE_TRADING_KEY=${toHex(secret)}`,
  ]
}
