import { type Client, ClientFailure } from '../../agents/client/client.ts'
import { wirePublicKey } from '../../core/crypto/signing.ts'
import { recoverSigner, withRecovery } from '../../core/crypto/wallet-signature.ts'
import { fromHex } from '../../core/hex.ts'
import { isObject } from '../../core/json.ts'
import { UsageError } from '../../core/settings/usage-error.ts'
import type { CommandArguments, CommandEnvironment } from '../command/command.ts'
import { ACCOUNT_FLAGS } from '../command/flags.ts'
import { accountReport, agentVariables, type CommandReport, limitLines } from './agent-variables.ts'
import { hostConfig, writeServer } from './host-config.ts'
import { CHAIN_ID, KEY_LIFE_MS } from './open.ts'
import type { AccountService } from './service.ts'
import { chooseWaiting, newWaiting, type Pending, type Waiting } from './waiting.ts'

/**
 * Starts the binding of an account on a live venue. Creates a trading key and stores it where the command line says.
 * Returns the first message that the owner's wallet must sign. Throws ClientFailure, and UsageError for a missing flag.
 */
export async function beginBinding(
  { client, url }: AccountService,
  args: CommandArguments,
  deps: CommandEnvironment,
): Promise<CommandReport> {
  const wallet = args.get(ACCOUNT_FLAGS.wallet.flag)?.toLowerCase()
  if (wallet === undefined || url === null)
    throw new UsageError(
      'this is a live venue: give --wallet ADDRESS, which signs, and --out FILE or --keychain for the trading key',
    )
  const waiting = await newWaiting(deps, args, wallet)
  const secret = deps.world.random.bytes(32)
  const step = (await readAccountId(client, wallet)) === null ? 'register' : 'trading-key'
  const asked = await requestMessage(deps, client, { step, wallet, url, secret })
  await waiting.begin(asked.pending, secret)
  return signing(waiting, asked)
}

/**
 * Accepts the wallet's signature of the pending message and returns the next message to sign. After the last message,
 * returns instructions for the account, or writes the account into the configuration of `--agent`. Without a signature
 * it returns a fresh message, which is valid for five minutes.
 */
export async function bindCommand(
  place: AccountService,
  args: CommandArguments,
  deps: CommandEnvironment,
): Promise<CommandReport> {
  const config = hostConfig(deps, args)
  const waiting = chooseWaiting(deps, args)
  const { pending, secret } = await waiting.read()
  if (place.url !== pending.url) throw new UsageError(`--url must be ${pending.url}`)
  const signature = args.get(ACCOUNT_FLAGS.signature.flag)
  const goOn = async (step: Pending['step']) => {
    const asked = await requestMessage(deps, place.client, { ...pending, secret, step })
    await waiting.goOn(asked.pending, secret)
    return signing(waiting, asked)
  }
  if (signature === undefined) return goOn(pending.step)
  await send(place.client, pending, signature)
  if (pending.step === 'register') return goOn('trading-key')
  const accountId = await readAccountId(place.client, pending.wallet)
  if (accountId === null) throw new UsageError('the key is bound, but the venue names no account')
  const keyPlace = await waiting.finish(accountId, secret)
  const agent = { place, credentials: { accountId, secret }, keyPlace, args }
  if (config === null) return accountReport({ ...deps, ...agent })
  const { value, lines } = writeServer(deps, config, agentVariables(agent), false)
  return { value: { ...value, accountId }, lines: [...limitLines(args), ...lines] }
}

type RequestedMessage = { readonly pending: Pending; readonly typedData: string }

/** Requests a fresh message for the wallet to sign. */
async function requestMessage(
  deps: CommandEnvironment,
  client: Client,
  asking: Pick<Pending, 'step' | 'wallet' | 'url'> & { readonly secret: Uint8Array },
): Promise<RequestedMessage> {
  const { step, wallet, url, secret } = asking
  const key = {
    tradingKey: wirePublicKey(secret),
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

/** Instructions for signing the requested message. */
function signing({ flags }: Waiting, { typedData, pending }: RequestedMessage): CommandReport {
  const { step, wallet } = pending
  const next = `prepd --mode admin account bind --url ${pending.url} ${flags} --signature 0x…`
  return {
    value: { step, wallet, typedData, next },
    lines: [
      `# ${STEP_MEANINGS[step]}: wallet ${wallet} signs this with eth_signTypedData_v4, within five minutes`,
      typedData,
      '# then',
      next,
    ],
  }
}

const STEP_MEANINGS: Readonly<Record<Pending['step'], string>> = {
  register: 'To open the account',
  'trading-key': 'To bind the trading key for a year',
}

async function send(client: Client, pending: Pending, signature: string): Promise<void> {
  const { wallet, message, step } = pending
  const digest = fromHex(pending.digest)
  if (!digest || recoverSigner(digest, withRecovery(signature)) !== wallet)
    throw new UsageError(
      `${ACCOUNT_FLAGS.signature.flag} is not the signature of ${wallet} on the message shown last`,
    )
  const path = step === 'register' ? '/api/prep/register' : '/api/prep/trading-key'
  // The service replaces this value with its own broker id.
  await client.post(path, { message: { ...message, brokerId: 'own' }, signature, address: wallet })
}

/** The account id of a wallet; null if it has no account. */
async function readAccountId(client: Client, address: string): Promise<string | null> {
  try {
    const answer = await client.get('/api/prep/op/account.exists', { address })
    const id = isObject(answer) ? answer['account_id'] : undefined
    return typeof id === 'string' ? id : null
  } catch (error) {
    if (error instanceof ClientFailure && error.code === 'not_found') return null
    throw error
  }
}
