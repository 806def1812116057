import { isObject, type Row, rowsAt } from '../../core/json.ts'
import { UsageError } from '../../core/settings/usage-error.ts'
import type { CommandArguments, CommandEnvironment } from '../command/command.ts'
import { ACCOUNT_FLAGS } from '../command/flags.ts'
import { aligned } from '../command/tables.ts'
import type { CommandReport } from './agent-variables.ts'
import { bindCommand } from './bind.ts'
import { createCommand } from './create.ts'
import { type AccountService, openAccountService } from './service.ts'

/** The account commands by name. Each returns its report. */
export const ACCOUNT_COMMANDS = {
  create: createCommand,
  bind: bindCommand,
  list: listCommand,
  show: showCommand,
  fund: fundCommand,
} as const

/**
 * Runs an account command and prints its report. Returns 0. Throws ClientFailure if the service refused, UsageError for
 * a missing or malformed flag or if no service is found.
 */
export async function accountCommand(
  name: keyof typeof ACCOUNT_COMMANDS,
  deps: CommandEnvironment,
  args: CommandArguments,
): Promise<0> {
  const place = await openAccountService(deps, args)
  try {
    const { value, lines } = await ACCOUNT_COMMANDS[name](place, args, deps)
    deps.report(value, lines)
    return 0
  } finally {
    await place.close()
  }
}

/** Lists the accounts of the embedded venue, one per line, with their holdings. */
async function listCommand(place: AccountService): Promise<CommandReport> {
  const answer = await accountsApi(place).get('/venue/accounts')
  const rows = rowsAt(answer, 'rows')
  const lines =
    rows.length === 0
      ? ['No account yet: prepd --mode admin account create opens one.']
      : aligned([COLUMNS, ...rows.map(rowCells)])
  return { value: { rows }, lines }
}

/** Shows all figures of one practice account, one per line. Throws UsageError without `--account`. */
async function showCommand(place: AccountService, args: CommandArguments): Promise<CommandReport> {
  return accountLines(await accountsApi(place).get(`/venue/accounts/${needAccount(args)}`))
}

/** Credits an account and shows it. Throws UsageError without `--account` or an amount. */
async function fundCommand(place: AccountService, args: CommandArguments): Promise<CommandReport> {
  const account = needAccount(args)
  const credit = new URLSearchParams(parseCredit(args))
  return accountLines(
    await accountsApi(place).post(`/venue/accounts/${account}/fund?${credit}`, {}),
  )
}

/** The credit as query parameters: USDC, or an amount of a named token. */
function parseCredit(args: CommandArguments): Record<string, string> {
  const given = (flag: keyof typeof ACCOUNT_FLAGS) => args.get(ACCOUNT_FLAGS[flag].flag)
  const [usdc, token, amount] = [given('usdc'), given('token'), given('amount')]
  if (usdc !== undefined && token === undefined && amount === undefined) return { usdc }
  if (usdc === undefined && token !== undefined && amount !== undefined) return { token, amount }
  throw new UsageError('--usdc must be given, or --token and --amount')
}

const FIELDS = ['accountId', 'createdAt', 'holdingUsdc', 'openPositions', 'restingOrders'] as const
const COLUMNS = ['account', 'opened', 'USDC', 'positions', 'orders']

function accountsApi(place: AccountService) {
  if (!place.isEmbedded)
    throw new UsageError('this is a live venue: its accounts are listed and funded there')
  return place.ops()
}

function needAccount(args: CommandArguments): string {
  const account = args.get(ACCOUNT_FLAGS.account.flag)
  if (account !== undefined) return account.toLowerCase()
  throw new UsageError(`${ACCOUNT_FLAGS.account.flag} must be given: 0x and 64 hex characters`)
}

function rowCells(row: Row): string[] {
  return FIELDS.map((field) => shown(field, row[field]))
}

/** An account as lines: one per figure, and one per token other than USDC. */
function accountLines(answer: unknown): CommandReport {
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
