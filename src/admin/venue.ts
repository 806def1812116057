import { ClientFailure, type Credentials, createClient } from '../client/client.ts'
import { Failure } from '../core/failure.ts'
import { toHex } from '../core/hex.ts'
import { isObject } from '../core/json.ts'
import { localUrl } from '../settings/listen-address.ts'
import {
  type CommandName,
  type CommandRow,
  commandPath,
  VENUE_COMMANDS,
} from '../spec/venue/commands.ts'
import { FIDELITIES, FIDELITY } from '../spec/venue/fidelity.ts'
import { readValues } from '../venue/control/values.ts'
import { KEY_LIFE_MS, openAccount } from './account/open.ts'
import { bearing, patientTransport, waitLine } from './account/transport.ts'
import { type CommandArguments, type CommandDeps, printMisuse } from './command/command.ts'
import { aligned, linesOf } from './command/tables.ts'

const LIVE_LINE = 'PREPD_VENUE is a live venue: only an embedded one takes commands'
const KEY_LINE = 'PREPD_OPERATOR_KEY must be set to the key of the running server'

/**
 * Runs an operator command at the embedded venue of a running server and prints its answer. Answers the exit
 * code: 0, 1 when the server refused or found something broken, 64 when a setting or flag is missing or malformed.
 */
export async function venueCommand(
  name: CommandName,
  { print, report, settings, world }: CommandDeps,
  args: CommandArguments,
): Promise<number> {
  if (settings.venue.at !== 'embedded') return printMisuse(print, LIVE_LINE)
  const texts = textsOf(name, args)
  const misuse = misuseOf(name, texts)
  if (misuse !== null) return printMisuse(print, misuse)
  const [operatorKey] = settings.operatorKeys
  if (operatorKey === undefined) return printMisuse(print, KEY_LINE)
  const transport = bearing(world.transport, operatorKey)
  const baseUrl = args.get('--url') ?? localUrl(settings.listen)
  const client = createClient({ baseUrl, transport, nowMs: world.clock.nowMs })
  try {
    const answer = await client.post(commandPath(name), texts)
    report(isObject(answer) ? answer : {}, linesOf(answer))
    return isBroken(answer) ? 1 : 0
  } catch (error) {
    if (!(error instanceof ClientFailure)) throw error
    print(`${error.code}: ${error.message}${detailOf(error.meta)}`)
    return 1
  }
}

function textsOf(name: CommandName, args: CommandArguments): Readonly<Record<string, string>> {
  const { parameters }: CommandRow = VENUE_COMMANDS[name]
  return Object.fromEntries(
    Object.keys(parameters).flatMap((parameter) => {
      const text = args.get(`--${parameter}`)
      return text === undefined ? [] : [[parameter, text]]
    }),
  )
}

/** The problem of the flags; null when there is none. */
function misuseOf(name: CommandName, texts: Readonly<Record<string, string>>): string | null {
  try {
    readValues(name, texts)
    return null
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { parameter, expected } = error.meta ?? {}
    return `--${parameter} must be ${expected}`
  }
}

function detailOf(meta: Readonly<Record<string, unknown>>): string {
  const details = Object.entries(meta).map(
    ([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return details.length === 0 ? '' : ` (${details.join(', ')})`
}

/** Whether the books were looked through and are not sound. */
function isBroken(answer: unknown): boolean {
  const broken = isObject(answer) ? answer['broken'] : []
  return Array.isArray(broken) && broken.length > 0
}

/** Prints what the embedded venue models, simplifies or had to guess. Answers 0. */
export async function venueFidelity({ report }: Pick<CommandDeps, 'report'>): Promise<0> {
  const meanings = Object.entries(FIDELITIES).map(([name, meaning]) => [name, meaning])
  const rows = FIDELITY.map(({ subject, fidelity, rule, how }) => [
    fidelity,
    subject,
    how === '' ? rule : `${rule}: ${how}`,
  ])
  report({ rows: FIDELITY }, [...aligned(meanings), '', ...aligned(rows)])
  return 0
}

/** The running server that a command speaks to. */
export type VenueCommandDeps = Pick<CommandDeps, 'print' | 'settings' | 'world'> & {
  readonly baseUrl: string
}

/**
 * Opens an account on the embedded venue for the operator, with a key for a year, and prints the two settings that make
 * it the one that runs the affiliate program. Answers the exit code: 0, or 1 when the server did not do it.
 */
export async function venueOperator({
  print,
  settings,
  world,
  baseUrl,
}: VenueCommandDeps): Promise<number> {
  if (settings.venue.at !== 'embedded') return printMisuse(print, OPERATOR_LIVE_LINE)
  const transport = patientTransport({ ...world, onWait: waitLine(print) })
  const client = createClient({ baseUrl, transport, nowMs: world.clock.nowMs })
  const yearly = { ...world, keyLifeMs: KEY_LIFE_MS }
  return printed(print, async () => {
    const operator = await openAccount(client, yearly)
    return settingLines(operator, world.clock.nowMs() + KEY_LIFE_MS)
  })
}

/**
 * Makes an account of the embedded venue a first-level affiliate, through the running server and with its operator key.
 * Answers the exit code: 0 also when it is one already, 1 when the server refused, 64 when a setting or flag is missing.
 */
export async function venuePromote(
  { print, settings, world, baseUrl }: VenueCommandDeps,
  accountId: string | undefined,
): Promise<number> {
  if (settings.venue.at !== 'embedded') return printMisuse(print, OPERATOR_LIVE_LINE)
  if (accountId === undefined) return printMisuse(print, ACCOUNT_LINE)
  const [operatorKey] = settings.operatorKeys
  if (operatorKey === undefined) return printMisuse(print, KEY_LINE)
  const transport = bearing(world.transport, operatorKey)
  const client = createClient({ baseUrl, transport, nowMs: world.clock.nowMs })
  return printed(print, async () => {
    const answer = await client.post('/api/admin/venue/promote', { accountId })
    const isNew = isObject(answer) && answer['promoted'] === true
    return [`${accountId} is ${isNew ? 'now' : 'already'} a first-level affiliate`]
  })
}

const OPERATOR_LIVE_LINE =
  'PREPD_VENUE is a live venue: its operator account and its affiliates are managed there'
const ACCOUNT_LINE = '--account must be given: 0x and 64 hex characters'

type Print = CommandDeps['print']

/** Prints what a call to the server brought, or why it brought nothing. */
async function printed(print: Print, call: () => Promise<readonly string[]>): Promise<number> {
  try {
    for (const line of await call()) print(line)
    return 0
  } catch (error) {
    if (!(error instanceof ClientFailure)) throw error
    print(`${error.code}: ${error.message}`)
    return 1
  }
}

function settingLines({ accountId, secret }: Credentials, endsAtMs: number): string[] {
  return [
    `# Set both and restart. The key ends on ${new Date(endsAtMs).toISOString().slice(0, 10)}.`,
    `PREPD_AFFILIATE_ACCOUNT_ID=${accountId}`,
    `PREPD_AFFILIATE_TRADING_KEY=${toHex(secret)}`,
  ]
}
