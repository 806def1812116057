import { ClientFailure, type Credentials, createClient, type Transport } from '../client/client.ts'
import { toHex } from '../core/hex.ts'
import { isObject } from '../core/json.ts'
import { DAY_MS } from '../spec/durations.ts'
import { type CommandDeps, printMisuse } from './command.ts'
import { openAccount } from './tour/account.ts'
import { createGuide } from './tour/guide.ts'
import { patientTransport, waitLine } from './tour/patient-transport.ts'

/** The running server that a command speaks to. */
export type VenueCommandDeps = Pick<CommandDeps, 'print' | 'settings' | 'world'> & {
  readonly baseUrl: string
}

/** A day less than the venue's most, so that clocks may differ. */
export const KEY_LIFE_MS = 364 * DAY_MS

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
  if (settings.venue.at !== 'embedded') return printMisuse(print, LIVE_LINE)
  const transport = patientTransport({ ...world, onWait: waitLine(print) })
  const client = createClient({ baseUrl, transport, nowMs: world.clock.nowMs })
  const guide = createGuide(() => undefined)
  const yearly = { ...world, keyLifeMs: KEY_LIFE_MS }
  return told(print, async () => {
    const operator = await openAccount(guide, client, yearly)
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
  if (settings.venue.at !== 'embedded') return printMisuse(print, LIVE_LINE)
  if (accountId === undefined) return printMisuse(print, ACCOUNT_LINE)
  const [operatorKey] = settings.operatorKeys
  if (operatorKey === undefined) return printMisuse(print, KEY_LINE)
  const transport = bearing(world.transport, operatorKey)
  const client = createClient({ baseUrl, transport, nowMs: world.clock.nowMs })
  return told(print, async () => {
    const answer = await client.post('/api/admin/venue/promote', { accountId })
    const isNew = isObject(answer) && answer['promoted'] === true
    return [`${accountId} is ${isNew ? 'now' : 'already'} a first-level affiliate`]
  })
}

const LIVE_LINE =
  'PREPD_VENUE is a live venue: its operator account and its affiliates are managed there'
const ACCOUNT_LINE = '--account must be given: 0x and 64 hex characters'
const KEY_LINE = 'PREPD_OPERATOR_KEY must be set to the key of the running server'

type Print = CommandDeps['print']

/** Prints what a call to the server brought, or why it brought nothing. */
async function told(print: Print, call: () => Promise<readonly string[]>): Promise<number> {
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

/** A transport whose requests bear the operator's key. */
export function bearing(transport: Transport, operatorKey: string): Transport {
  return (request) => {
    request.headers.set('authorization', `Bearer ${operatorKey}`)
    return transport(request)
  }
}
