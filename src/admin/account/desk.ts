import { isObject } from '../../core/json.ts'
import { UsageError } from '../../settings/usage-error.ts'
import type { CommandArguments, CommandDeps } from '../command.ts'
import { aligned } from '../help.ts'
import { ACCOUNT_FLAGS } from './flags.ts'
import type { Place } from './place.ts'

/** The accounts of the embedded venue, one a line, with what each holds. */
export async function listCommand(
  _deps: CommandDeps,
  _args: CommandArguments,
  place: Place,
): Promise<readonly string[]> {
  const answer = await deskOf(place).get('/venue/accounts')
  const rows = isObject(answer) && Array.isArray(answer['rows']) ? answer['rows'] : []
  if (rows.length === 0) return ['No account yet: prepd --mode admin account create opens one.']
  return aligned([COLUMNS, ...rows.filter(isObject).map(cellsOf)])
}

/** All that the desk tells of one account, a line each. Throws UsageError without `--account`. */
export async function showCommand(
  _deps: CommandDeps,
  args: CommandArguments,
  place: Place,
): Promise<readonly string[]> {
  return linesOf(await deskOf(place).get(`/venue/accounts/${needAccount(args)}`))
}

/** Credits an account, and shows it. Throws UsageError without `--account` or `--usdc`. */
export async function fundCommand(
  _deps: CommandDeps,
  args: CommandArguments,
  place: Place,
): Promise<readonly string[]> {
  const account = needAccount(args)
  const usdc = args.get(ACCOUNT_FLAGS.amount.flag)
  if (usdc === undefined) throw new UsageError(`${ACCOUNT_FLAGS.amount.flag} must be given`)
  return linesOf(await deskOf(place).post(`/venue/accounts/${account}/fund?usdc=${usdc}`, {}))
}

const FIELDS = ['accountId', 'createdAt', 'holdingUsdc', 'openPositions', 'restingOrders'] as const
const COLUMNS = ['account', 'opened', 'USDC', 'positions', 'orders']

function deskOf(place: Place) {
  if (!place.isEmbedded)
    throw new UsageError('this is a live venue: its accounts are listed and funded there')
  return place.ops()
}

function needAccount(args: CommandArguments): string {
  const account = args.get(ACCOUNT_FLAGS.account.flag)
  if (account !== undefined) return account.toLowerCase()
  throw new UsageError(`${ACCOUNT_FLAGS.account.flag} must be given: 0x and 64 hex characters`)
}

function cellsOf(row: Readonly<Record<string, unknown>>): string[] {
  return FIELDS.map((field) => shown(field, row[field]))
}

function linesOf(answer: unknown): readonly string[] {
  const row = isObject(answer) ? answer : {}
  return aligned(Object.entries(row).map(([name, value]) => [name, shown(name, value)]))
}

function shown(name: string, value: unknown): string {
  return name === 'createdAt' ? new Date(Number(value)).toISOString() : String(value)
}
