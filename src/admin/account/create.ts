import { toHex } from '../../core/hex.ts'
import { isObject } from '../../core/json.ts'
import type { CommandArguments, CommandDeps } from '../command/command.ts'
import { ACCOUNT_FLAGS } from '../command/flags.ts'
import { accountReport, type CommandReport } from './agent-variables.ts'
import { begin } from './bind.ts'
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
  const out = args.get(ACCOUNT_FLAGS.out.flag) ?? null
  if (!place.isEmbedded) return begin(deps, args, place)
  if (out !== null) assertNew(deps.files, out)
  const deposit = args.get(ACCOUNT_FLAGS.deposit.flag)
  const ops = deposit === undefined ? null : place.ops()
  const account = await openAccount(place.client, { ...deps.world, keyLifeMs: KEY_LIFE_MS })
  if (ops) await ops.post(`/venue/accounts/${account.accountId}/fund?usdc=${deposit}`, {})
  if (out !== null) keepSecrets(deps, out, account)
  const holding = await place.client.relay(account, { method: 'GET', path: '/v1/client/holding' })
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
      `# A practice account with ${usdcOf(holding)} USDC. Its key reads and trades until ${dayOf(account.expiresAtMs)}.`,
      ...lines,
      '',
      ...(link === null ? [] : [LINK_LINE, link, '']),
      ...walletLines(deps, account, out),
    ],
  }
}

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
