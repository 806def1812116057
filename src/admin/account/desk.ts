import { isObject } from '../../core/json.ts'
import { UsageError } from '../../settings/usage-error.ts'
import type { CommandArguments, CommandDeps } from '../command.ts'
import { aligned } from '../help.ts'
import { ACCOUNT_FLAGS } from './flags.ts'
import type { Place } from './place.ts'
import type { Told } from './told.ts'

/** The accounts of the embedded venue, one a line, with what each holds. */
export async function listCommand(
  _deps: CommandDeps,
  _args: CommandArguments,
  place: Place,
): Promise<Told> {
  const answer = await deskOf(place).get('/venue/accounts')
  const rows = isObject(answer) && Array.isArray(answer['rows']) ? answer['rows'] : []
  const lines =
    rows.length === 0
      ? ['No account yet: prepd --mode admin account create opens one.']
      : aligned([COLUMNS, ...rows.filter(isObject).map(cellsOf)])
  return { value: { rows }, lines }
}

/** All that the desk tells of one account, a line each. Throws UsageError without `--account`. */
export async function showCommand(
  _deps: CommandDeps,
  args: CommandArguments,
  place: Place,
): Promise<Told> {
  return told(await deskOf(place).get(`/venue/accounts/${needAccount(args)}`))
}

/** Credits an account, and shows it. Throws UsageError without `--account`, or without what it is credited. */
export async function fundCommand(
  _deps: CommandDeps,
  args: CommandArguments,
  place: Place,
): Promise<Told> {
  const account = needAccount(args)
  const credit = new URLSearchParams(creditOf(args))
  return told(await deskOf(place).post(`/venue/accounts/${account}/fund?${credit}`, {}))
}

/** USDC, or so much of another token. */
function creditOf(args: CommandArguments): Record<string, string> {
  const given = (flag: keyof typeof ACCOUNT_FLAGS) => args.get(ACCOUNT_FLAGS[flag].flag)
  const [usdc, token, amount] = [given('usdc'), given('token'), given('amount')]
  if (usdc !== undefined && token === undefined && amount === undefined) return { usdc }
  if (usdc === undefined && token !== undefined && amount !== undefined) return { token, amount }
  throw new UsageError('--usdc must be given, or --token and --amount')
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

/** A line a member; of other tokens one each. */
function told(answer: unknown): Told {
  const value = isObject(answer) ? answer : {}
  const { tokens, ...row } = value
  const members = Object.entries(row).map(([name, value]) => [name, shown(name, value)])
  const others = Object.entries(isObject(tokens) ? tokens : {})
  const cells = [...members, ...others.map(([token, amount]) => [token, String(amount)])]
  return { value, lines: aligned(cells) }
}

function shown(name: string, value: unknown): string {
  return name === 'createdAt' ? new Date(Number(value)).toISOString() : String(value)
}
