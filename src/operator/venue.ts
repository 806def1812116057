import { ClientFailure, type Credentials, createClient } from '../agents/client/client.ts'
import {
  type CommandName,
  type CommandRow,
  commandPath,
  VENUE_COMMANDS,
} from '../contract/venue/commands.ts'
import { FIDELITIES, FIDELITY } from '../contract/venue/fidelity.ts'
import { Failure } from '../core/failure.ts'
import { toHex } from '../core/hex.ts'
import { isObject } from '../core/json.ts'
import { UsageError } from '../core/settings/usage-error.ts'
import { readValues } from '../simulator/control/values.ts'
import { KEY_LIFE_MS, openTemporaryAccount } from './account/open.ts'
import { retryingTransport, serverUrl, waitLine, withOperatorKey } from './account/transport.ts'
import { isKeyless, keylessError, OPERATOR_KEY_MISSING } from './act.ts'
import type { CommandArguments, CommandEnvironment } from './command/command.ts'
import { ACCOUNT_FLAGS } from './command/flags.ts'
import { aligned, answerLines, failureLine } from './command/tables.ts'

/**
 * Runs an operator command on the embedded venue of a running server and prints the answer. Returns the exit code: 0; 1
 * if the server refused or found a fault; 64 for a missing or malformed setting or flag.
 */
export async function venueCommand(
  name: CommandName,
  deps: CommandEnvironment,
  args: CommandArguments,
): Promise<0 | 1> {
  const { complain, report } = deps
  assertEmbedded(deps, 'only an embedded one takes commands')
  const texts = parameterTexts(name, args)
  assertValues(name, texts)
  try {
    const answer = await operatorPost(deps, args, commandPath(name), texts)
    report(isObject(answer) ? answer : {}, answerLines(answer, null))
    return hasAccountingFault(answer) ? 1 : 0
  } catch (error) {
    if (!(error instanceof ClientFailure)) throw error
    complain(failureLine(error))
    return 1
  }
}

function parameterTexts(
  name: CommandName,
  args: CommandArguments,
): Readonly<Record<string, string>> {
  const { parameters }: CommandRow = VENUE_COMMANDS[name]
  return Object.fromEntries(
    Object.keys(parameters).flatMap((parameter) => {
      const text = args.get(`--${parameter}`)
      return text === undefined ? [] : [[parameter, text]]
    }),
  )
}

function assertValues(name: CommandName, texts: Readonly<Record<string, string>>): void {
  try {
    readValues(name, texts)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { parameter, expected } = error.meta ?? {}
    throw new UsageError(`--${parameter} must be ${expected}`)
  }
}

function assertEmbedded({ settings }: CommandEnvironment, why: string): void {
  if (settings.venue.at !== 'embedded') throw new UsageError(`PREPD_VENUE is a live venue: ${why}`)
}

/**
 * Posts to the running server with its operator key. Throws UsageError if the key is missing here, NoPlaceError if the
 * server has no key.
 */
async function operatorPost(
  deps: CommandEnvironment,
  args: CommandArguments,
  path: string,
  body: object,
): Promise<unknown> {
  const { settings, world } = deps
  const [key] = settings.operatorKeys
  if (key === undefined) throw new UsageError(OPERATOR_KEY_MISSING)
  const transport = withOperatorKey(world.transport, key)
  const baseUrl = serverUrl(deps, args)
  try {
    return await createClient({ baseUrl, transport, nowMs: world.clock.nowMs }).post(path, body)
  } catch (error) {
    if (isKeyless(error)) throw keylessError(baseUrl)
    throw error
  }
}

/** Whether a check of the accounting found a fault. */
function hasAccountingFault(answer: unknown): boolean {
  const broken = isObject(answer) ? answer['broken'] : []
  return Array.isArray(broken) && broken.length > 0
}

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
  assertEmbedded(deps, MANAGED_THERE_NOTE)
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
  assertEmbedded(deps, MANAGED_THERE_NOTE)
  const accountId = args.get(ACCOUNT_FLAGS.account.flag)
  if (accountId === undefined) throw new UsageError(ACCOUNT_LINE)
  const answer = await operatorPost(deps, args, '/api/admin/venue/promote', { accountId })
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
