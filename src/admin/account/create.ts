import { toHex } from '../../core/hex.ts'
import { isObject } from '../../core/json.ts'
import { UsageError } from '../../settings/usage-error.ts'
import type { CommandArguments, CommandDeps } from '../command/command.ts'
import { ACCOUNT_FLAGS } from '../command/flags.ts'
import { accountReport, type CommandReport, variablesOf } from './agent-variables.ts'
import { begin } from './bind.ts'
import { hostConfig, writeServer } from './host-config.ts'
import { KEY_LIFE_MS, type Opened, openAccount } from './open.ts'
import type { Place } from './place.ts'
import { assertNew } from './secret-file.ts'

/**
 * Opens an account. On an embedded venue with a throw-away wallet, and a key for a year; on a live one it says what the
 * owner's wallet signs first. Answers what to report. Throws ClientFailure, and UsageError for a flag that is missing.
 */
export async function createCommand(
  deps: CommandDeps,
  args: CommandArguments,
  place: Place,
): Promise<CommandReport> {
  const config = hostConfig(deps, args)
  if (config === null)
    return place.isEmbedded ? created(deps, args, place) : begin(deps, args, place)
  if (!place.isEmbedded) {
    throw new UsageError(`${ACCOUNT_FLAGS.agent.flag} is for practice accounts: this venue is live`)
  }
  const out = newOut(deps, args)
  if (args.has(ACCOUNT_FLAGS.dryRun.flag)) {
    return writeServer(deps, config, variablesOf(deps, place, NO_ACCOUNT, out), true)
  }
  const { account, opened } = await practiceAccount(deps, args, place)
  const written = writeServer(deps, config, variablesOf(deps, place, account, out), false)
  const { accountId, expiresAtMs } = account
  return {
    value: { ...written.value, accountId, expiresAtMs },
    lines: [opened, ...written.lines],
  }
}

/** The new file that the command line names for the key; null where it names none. Throws UsageError when it is there. */
function newOut({ files }: CommandDeps, args: CommandArguments): string | null {
  const out = args.get(ACCOUNT_FLAGS.out.flag) ?? null
  if (out !== null) assertNew(files, out)
  return out
}

/** Opens and funds a practice account, and keeps its secrets where the command line says. */
async function practiceAccount(deps: CommandDeps, args: CommandArguments, place: Place) {
  const out = newOut(deps, args)
  const deposit = args.get(ACCOUNT_FLAGS.deposit.flag)
  const ops = deposit === undefined ? null : place.ops()
  const account = await openAccount(place.client, { ...deps.world, keyLifeMs: KEY_LIFE_MS })
  if (ops) await ops.post(`/venue/accounts/${account.accountId}/fund?usdc=${deposit}`, {})
  if (out !== null) keepSecrets(deps, out, account)
  const holding = await place.client.relay(account, { method: 'GET', path: '/v1/client/holding' })
  const opened = `# A practice account with ${usdcOf(holding)} USDC. Its key reads and trades until ${dayOf(account.expiresAtMs)}.`
  return { account, opened, out }
}

/** A practice account with everything that its holder needs, secrets included unless a file has them. */
async function created(
  deps: CommandDeps,
  args: CommandArguments,
  place: Place,
): Promise<CommandReport> {
  const { account, opened, out } = await practiceAccount(deps, args, place)
  const link = linkOf(deps, place, account, out)
  const { value, lines } = accountReport({ ...deps, place, credentials: account, out })
  return {
    value: {
      ...value,
      accountId: account.accountId,
      expiresAtMs: account.expiresAtMs,
      wallet: walletOf(deps, account, out),
      ...(link !== null && { [out === null ? 'link' : 'linkCommand']: link }),
    },
    lines: [
      opened,
      ...lines,
      '',
      ...(link === null ? [] : [LINK_LINE, link, '']),
      ...walletLines(deps, account, out),
    ],
  }
}

/** Stands for the account that a dry run does not open. */
const NO_ACCOUNT = { accountId: '(the new account)', secret: new Uint8Array() }

const LINK_LINE =
  '# Open it in a browser. The link is the key: whoever has it trades with this account.'

function keepSecrets({ world }: CommandDeps, out: string, { secret, wallet }: Opened): void {
  world.disk.writeSecret(out, `${toHex(secret)}\n`, 'new')
  world.disk.writeSecret(walletFile(out), `${toHex(wallet.secret)}\n`, 'new')
}

function walletFile(out: string): string {
  return `${out}.wallet`
}

/** Its secret, or where that is kept. */
function walletOf(
  { world }: CommandDeps,
  { wallet: { address, secret } }: Opened,
  out: string | null,
) {
  return out === null
    ? { address, secret: toHex(secret) }
    : { address, secretFile: world.disk.absolute(walletFile(out)) }
}

function walletLines(deps: CommandDeps, account: Opened, out: string | null): string[] {
  const { address, secret, secretFile } = walletOf(deps, account, out)
  const where = secretFile === undefined ? `secret ${secret}` : `secret in ${secretFile}`
  return [`# Its throw-away wallet is ${address}, ${where}`]
}

/** The link that hands the account to a browser; with a file, the command that makes it. Null without a page. */
function linkOf(
  { world }: CommandDeps,
  { url, hasPage }: Place,
  { accountId, secret, wallet }: Opened,
  out: string | null,
): string | null {
  if (!hasPage) return null
  const key = out === null ? toHex(secret) : `$(cat '${world.disk.absolute(out)}')`
  const link = `${url}/trade#account=${accountId}&wallet=${wallet.address}&key=${key}`
  return out === null ? link : `echo "${link}"`
}

function usdcOf(answer: unknown): string {
  const rows = isObject(answer) && Array.isArray(answer['holding']) ? answer['holding'] : []
  const [first] = rows.filter(isObject)
  return String(first?.['holding'] ?? 0)
}

function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10)
}
