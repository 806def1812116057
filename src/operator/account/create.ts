import { rowsAt } from '../../core/json.ts'
import { UsageError } from '../../core/settings/usage-error.ts'
import type { CommandArguments, CommandEnvironment } from '../command/command.ts'
import { ACCOUNT_FLAGS } from '../command/flags.ts'
import { accountReport, agentVariables, type CommandReport, limitLines } from './agent-variables.ts'
import { beginBinding } from './bind.ts'
import { hostConfig, writeServer } from './host-config.ts'
import { chooseKeyStorage, type KeyStorage } from './key-storage.ts'
import { type Opened, openTemporaryAccount } from './open.ts'
import type { AccountService } from './service.ts'

/**
 * Opens an account. For an embedded venue, creates a throw-away wallet and a key that is valid for a year. For a live
 * venue, returns the first message that the owner's wallet must sign. Throws ClientFailure, and UsageError for a
 * missing flag.
 */
export async function createCommand(
  place: AccountService,
  args: CommandArguments,
  deps: CommandEnvironment,
): Promise<CommandReport> {
  const config = hostConfig(deps, args)
  if (config === null)
    return place.isEmbedded ? created(deps, args, place) : beginBinding(place, args, deps)
  if (!place.isEmbedded) {
    throw new UsageError(
      `this venue is live: leave out ${ACCOUNT_FLAGS.agent.flag} here and give it to account bind, which has the key`,
    )
  }
  const keyPlace = await chooseKeyStorage(deps, args)
  if (args.has(ACCOUNT_FLAGS.dryRun.flag)) {
    const agent = { place, credentials: NO_ACCOUNT, keyPlace, args }
    return writeServer(deps, config, agentVariables(agent), true)
  }
  const { account, opened } = await practiceAccount(deps, args, place, keyPlace)
  const agent = { place, credentials: account, keyPlace, args }
  const written = writeServer(deps, config, agentVariables(agent), false)
  const { accountId, expiresAtMs } = account
  return {
    value: { ...written.value, accountId, expiresAtMs },
    lines: [opened, ...limitLines(args), ...written.lines],
  }
}

/** Opens and funds a practice account, and stores its secrets. */
async function practiceAccount(
  deps: CommandEnvironment,
  args: CommandArguments,
  place: AccountService,
  keyPlace: KeyStorage,
) {
  const deposit = args.get(ACCOUNT_FLAGS.deposit.flag)
  const ops = deposit === undefined ? null : place.ops()
  const account = await openTemporaryAccount(place.client, {
    ...deps.world,
    keyLifeMs: place.keyLifeMs,
  })
  if (ops) await ops.post(`/venue/accounts/${account.accountId}/fund?usdc=${deposit}`, {})
  await keyPlace.keep(account)
  const holding = await place.client.relay(account, { method: 'GET', path: '/v1/client/holding' })
  const opened = `# A practice account with ${usdcHolding(holding)} USDC. Its key reads and trades until ${dayText(account.expiresAtMs)}.`
  return { account, opened }
}

/**
 * Opens a practice account. The report has everything that the account's holder needs, including the secrets unless
 * they were stored.
 */
async function created(
  deps: CommandEnvironment,
  args: CommandArguments,
  place: AccountService,
): Promise<CommandReport> {
  const keyPlace = await chooseKeyStorage(deps, args)
  const { account, opened } = await practiceAccount(deps, args, place, keyPlace)
  const link = accountLink(place, account, keyPlace)
  const { value, lines } = accountReport({ ...deps, place, credentials: account, keyPlace, args })
  const { accountId, expiresAtMs, wallet } = account
  return {
    value: {
      ...value,
      accountId,
      expiresAtMs,
      wallet: { address: wallet.address, ...keyPlace.wallet(wallet, accountId) },
      ...(link !== null && { [keyPlace.isShown ? 'link' : 'linkCommand']: link }),
    },
    lines: [
      opened,
      ...lines,
      '',
      ...(link === null ? [] : [LINK_LINE, link, '']),
      `# Its throw-away wallet is ${wallet.address}, ${keyPlace.walletLine(wallet, accountId)}`,
    ],
  }
}

/** Placeholder account for a dry run. */
const NO_ACCOUNT = { accountId: '(the new account)', secret: new Uint8Array() }

const LINK_LINE =
  '# Open it in a browser. The link is the key: whoever has it trades with this account.'

/**
 * The link that signs a browser in to the account. If the key is in a file, a shell command that prints the link. Null
 * without a page, or if no shell command can read the key.
 */
function accountLink(
  { url, hasPage }: AccountService,
  account: Opened,
  keyPlace: KeyStorage,
): string | null {
  const { accountId, secret, wallet } = account
  const key = keyPlace.inShell(secret)
  if (!hasPage || key === null) return null
  const link = `${url}/trade#account=${accountId}&wallet=${wallet.address}&key=${key}`
  return keyPlace.isShown ? link : `echo "${link}"`
}

function usdcHolding(answer: unknown): string {
  const [first] = rowsAt(answer, 'holding')
  return String(first?.['holding'] ?? 0)
}

function dayText(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10)
}
