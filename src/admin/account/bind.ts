import { type Client, ClientFailure } from '../../client/client.ts'
import { fromHex, toHex } from '../../core/hex.ts'
import { isObject, parsedJson } from '../../core/json.ts'
import { publicKeyOf } from '../../crypto/signing.ts'
import { recoverSigner } from '../../crypto/wallet-signature.ts'
import { textOf } from '../../settings/files.ts'
import { UsageError } from '../../settings/usage-error.ts'
import type { CommandArguments, CommandDeps } from '../command/command.ts'
import { ACCOUNT_FLAGS } from '../command/flags.ts'
import { accountReport, type CommandReport } from './agent-variables.ts'
import { CHAIN_ID, KEY_LIFE_MS } from './open.ts'
import type { Place } from './place.ts'
import { assertNew, needOut, readSecret } from './secret-file.ts'

/**
 * Starts on a live venue: makes a trading key, keeps it in the file of `--out`, and answers what the owner's wallet is
 * to sign first. Throws ClientFailure, and UsageError for a flag that is missing.
 */
export async function begin(
  deps: CommandDeps,
  args: CommandArguments,
  { client, url }: Place,
): Promise<CommandReport> {
  const wallet = args.get(ACCOUNT_FLAGS.wallet.flag)?.toLowerCase()
  if (wallet === undefined || url === null)
    throw new UsageError(
      'this is a live venue: give --wallet ADDRESS, which signs, and --out FILE for the trading key',
    )
  const out = needOut(args)
  assertNew(deps.files, out)
  const secret = deps.world.random.bytes(32)
  const step = (await accountOf(client, wallet)) === null ? 'register' : 'trading-key'
  const asked = await ask(deps, client, { step, wallet, url, secret })
  deps.world.disk.writeSecret(out, `${toHex(secret)}\n`, 'new')
  return kept(deps, out, asked)
}

/**
 * Takes the wallet's signature of the message that waits beside the file of `--out`, and answers what to sign next or,
 * after the last one, how to use the account. Without a signature it answers the message anew: one lives five minutes.
 */
export async function bindCommand(
  deps: CommandDeps,
  args: CommandArguments,
  place: Place,
): Promise<CommandReport> {
  const out = needOut(args)
  const pending = readPending(deps.files, out)
  const secret = readSecret(deps.files, out)
  if (place.url !== pending.url) throw new UsageError(`--url must be ${pending.url}`)
  const signature = args.get(ACCOUNT_FLAGS.signature.flag)
  const next = { ...pending, secret }
  if (signature === undefined) return kept(deps, out, await ask(deps, place.client, next))
  await send(place.client, pending, signature)
  if (pending.step === 'register')
    return kept(deps, out, await ask(deps, place.client, { ...next, step: 'trading-key' }))
  const accountId = await accountOf(place.client, pending.wallet)
  if (accountId === null) throw new UsageError('the key is bound, but the venue names no account')
  deps.world.disk.remove(pendingFile(out))
  return accountReport({ ...deps, place, credentials: { accountId, secret }, out })
}

type Asking = Pick<Pending, 'step' | 'wallet' | 'url'> & { readonly secret: Uint8Array }

type Asked = { readonly pending: Pending; readonly typedData: string }

/** What the wallet signs, fresh from the service. */
async function ask(deps: CommandDeps, client: Client, asking: Asking): Promise<Asked> {
  const { step, wallet, url, secret } = asking
  const key = {
    tradingKey: publicKeyOf(secret),
    scope: 'read,trading',
    expiration: deps.world.clock.nowMs() + KEY_LIFE_MS,
  }
  const answer = await client.post('/api/prep/typed-data', {
    kind: step,
    chainId: CHAIN_ID,
    ...(step === 'trading-key' && key),
  })
  const { typedData, digest, message } = isObject(answer) ? answer : {}
  if (typeof typedData !== 'string' || typeof digest !== 'string' || !isObject(message))
    throw new UsageError('the service answered no message to sign')
  return { typedData, pending: { step, wallet, url, digest, message } }
}

/** Keeps what was asked beside the key, and answers how it is signed. */
function kept({ world }: CommandDeps, out: string, { typedData, pending }: Asked): CommandReport {
  const { step, wallet } = pending
  world.disk.writeSecret(pendingFile(out), `${JSON.stringify(pending)}\n`, 'replace')
  const next = `prepd --mode admin account bind --url ${pending.url} --out ${out} --signature 0x…`
  return {
    value: { step, wallet, typedData, next },
    lines: [
      `# ${MEANING[step]}: wallet ${wallet} signs this with eth_signTypedData_v4, within five minutes`,
      typedData,
      '# then',
      next,
    ],
  }
}

const MEANING: Readonly<Record<Pending['step'], string>> = {
  register: 'To open the account',
  'trading-key': 'To bind the trading key for a year',
}

async function send(client: Client, pending: Pending, signature: string): Promise<void> {
  const { wallet, message, step } = pending
  const digest = fromHex(pending.digest)
  if (!digest || recoverSigner(digest, signature) !== wallet)
    throw new UsageError(
      `${ACCOUNT_FLAGS.signature.flag} is not the signature of ${wallet} on the message shown last`,
    )
  const path = step === 'register' ? '/api/prep/register' : '/api/prep/trading-key'
  // The service signs for its own broker, whatever stands here.
  await client.post(path, { message: { ...message, brokerId: 'own' }, signature, address: wallet })
}

/** The account of a wallet; null when it has none. */
async function accountOf(client: Client, address: string): Promise<string | null> {
  try {
    const answer = await client.get('/api/prep/op/account.exists', { address })
    const id = isObject(answer) ? answer['account_id'] : undefined
    return typeof id === 'string' ? id : null
  } catch (error) {
    if (error instanceof ClientFailure && error.code === 'not_found') return null
    throw error
  }
}

/** What waits for a wallet's signature, kept beside the trading key: nothing in it is secret. */
type Pending = {
  readonly step: 'register' | 'trading-key'
  /** Lower case. */
  readonly wallet: string
  readonly url: string
  readonly digest: string
  /** Goes back to the service with the signature. */
  readonly message: object
}

/** Where it is kept. */
function pendingFile(out: string): string {
  return `${out}.pending`
}

/** What waits beside a trading key. Throws UsageError when nothing does. */
function readPending(files: CommandDeps['files'], out: string): Pending {
  const pending = parsed(textOf(files, pendingFile(out)) ?? '')
  if (pending) return pending
  throw new UsageError(
    `nothing waits for a signature beside ${out}: start with account create --wallet ADDRESS --out ${out}`,
  )
}

function parsed(text: string): Pending | null {
  const value = parsedJson(text)
  if (!isObject(value)) return null
  const { step, wallet, url, digest, message } = value
  if (step !== 'register' && step !== 'trading-key') return null
  if (typeof wallet !== 'string' || typeof url !== 'string' || typeof digest !== 'string')
    return null
  return isObject(message) ? { step, wallet, url, digest, message } : null
}
