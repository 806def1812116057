import { toHex } from '../core/hex.ts'
import { readTextFile } from '../core/settings/files.ts'
import { SETTING_KINDS } from '../core/settings/kinds.ts'
import { UsageError } from '../core/settings/usage-error.ts'
import { voucherSigner } from '../gateway/voucher/signers.ts'
import { accountCommand } from './account/account.ts'
import { assertNew } from './account/key-storage.ts'
import type { CommandArguments, CommandEnvironment } from './command/command.ts'
import { ACCOUNT_FLAGS, ROTATE_FLAGS } from './command/flags.ts'
import { readValiditySeconds } from './voucher/voucher.ts'

/**
 * Writes a new operator key as the first line of FILE and keeps the previous key as the second line, so that both are
 * valid. `--finish` removes the second line. Prints no key. Returns 0. Throws UsageError if FILE has other content.
 */
export async function rotateOperator(deps: CommandEnvironment, args: CommandArguments): Promise<0> {
  const path = args.get('FILE') ?? ''
  const before = readOperatorKeys(deps, path)
  if (args.has(ROTATE_FLAGS.finish.flag)) return finish(deps, path, before)
  const fresh = Buffer.from(deps.world.random.bytes(KEY_BYTES)).toString('base64url')
  const [old] = before
  write(deps, path, old === undefined ? [fresh] : [fresh, old])
  const last = `At last: prepd --mode admin rotate operator ${path} --finish`
  return reported(deps, [
    `${path} holds a new key${old === undefined ? '' : ', and the one before'}`,
    'Name it in PREPD_OPERATOR_KEY_FILE and send prepd SIGHUP, or restart it; then give the new key to who uses it.',
    ...(old === undefined ? [] : [last]),
  ])
}

/**
 * Creates a new trading key for the operator's venue account and prints the message with which the account's wallet
 * binds it. The previous key stays valid until it expires.
 */
export async function rotateAffiliate(
  deps: CommandEnvironment,
  args: CommandArguments,
): Promise<0> {
  if (!deps.settings.affiliate) throw new UsageError(NO_AFFILIATE)
  if (deps.settings.venue.at === 'embedded') throw new UsageError(EMBEDDED)
  await accountCommand('create', deps, args)
  const out = args.get(ACCOUNT_FLAGS.out.flag) ?? 'FILE'
  deps.print(`# at last: PREPD_AFFILIATE_TRADING_KEY_FILE=${out}, and restart prepd`)
  return 0
}

/**
 * Writes a new voucher key to a new FILE, followed by the current key, if any. Prints the steps in an order that loses
 * no voucher.
 */
export async function rotateVoucher(deps: CommandEnvironment, args: CommandArguments): Promise<0> {
  const path = args.get('FILE') ?? ''
  assertNew(deps.files, path)
  const secret = deps.world.random.bytes(KEY_BYTES)
  const { address } = voucherSigner(secret)
  const [before] = deps.settings.voucher.keys
  const lines = [secret, ...(before ? [before] : [])].map((key) => `${toHex(key)}\n`)
  deps.world.disk.writeSecret(path, lines.join(''), 'new')
  if (before) return printKeyChange(deps, path, address, voucherSigner(before).address)
  return reported(deps, [
    `${path} holds a new key; its address is ${address}`,
    `1. Let every redeemer contract take ${address}.`,
    `2. Name ${path} in PREPD_VOUCHER_KEY_FILE and restart prepd.`,
  ])
}

/** Prints the steps for changing from one key's address to the next key's address. */
function printKeyChange(
  deps: CommandEnvironment,
  path: string,
  address: string,
  before: string,
): 0 {
  const { path: config } = deps.settings.voucher
  const wait =
    config === null
      ? 'When no voucher of it'
      : `After ${readValiditySeconds(deps)} s, after the last of them`
  return reported(deps, [
    `${path} holds a new key, and the one before; its address is ${address}`,
    `1. Let every redeemer contract take ${address}, beside ${before}.`,
    `2. Name ${path} in PREPD_VOUCHER_KEY_FILE and restart every instance, one after the other. They sign with ${before} until all have both keys.`,
    `3. ${wait} can be redeemed, remove the second line of ${path}, restart every instance, and take ${before} from the contracts.`,
  ])
}

function finish(deps: CommandEnvironment, path: string, keys: readonly string[]): 0 {
  if (keys.length < 2) throw new UsageError(`${path} holds no key before: nothing to finish`)
  write(deps, path, keys.slice(0, 1))
  return reported(deps, [
    `${path} holds the new key alone`,
    'Restart prepd: the key before is no longer taken.',
  ])
}

function write({ world }: CommandEnvironment, path: string, keys: readonly string[]): void {
  world.disk.writeSecret(path, `${keys.join('\n')}\n`, 'replace')
}

const KEY_BYTES = 32
const NO_AFFILIATE = 'PREPD_AFFILIATE_ACCOUNT_ID is not set, so a previous key is missing'
const EMBEDDED =
  'the venue is embedded: prepd --mode admin venue operator opens an account with a key of its own'

function readOperatorKeys({ files }: CommandEnvironment, path: string): readonly string[] {
  if (files.stat(path) === null) return []
  const text = (readTextFile(files, path) ?? '').trimEnd()
  const keys = SETTING_KINDS.operatorKeys.parse(text)
  if (keys) return keys
  throw new UsageError(`${path} holds no operator key: nothing is written over it`)
}

function reported({ report }: CommandEnvironment, steps: readonly string[]): 0 {
  report({ steps }, steps)
  return 0
}
