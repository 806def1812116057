import { keccak256 } from '../../core/crypto/keccak.ts'
import { toHex } from '../../core/hex.ts'
import { readTextFile } from '../../core/settings/files.ts'
import { UsageError } from '../../core/settings/usage-error.ts'
import type { CommandArguments, CommandEnvironment } from '../../operator/command/command.ts'
import type { Evaluation } from './evaluation.ts'
import { EVAL_FLAGS } from './flags.ts'

const SECRET = /^[0-9a-f]{64}$/
const SECRET_BYTES = 32
/** Bits of a derived seed, within the 53 bits of exact integers. */
const SEED_BITS = 52

/**
 * The secret from which a run derives its hidden seeds: from `--secret`, otherwise a new one. Null without hidden
 * seeds. Throws UsageError for a file without a secret, and for a secret without hidden seeds.
 */
export async function readSeedSecret(
  { world, files }: Pick<CommandEnvironment, 'world' | 'files'>,
  args: CommandArguments,
  { isHidden }: Evaluation,
): Promise<string | null> {
  const { flag } = EVAL_FLAGS.secret
  const path = args.get(flag)
  if (!isHidden && path !== undefined) throw new UsageError(`${flag} is that of seeds = "hidden"`)
  if (!isHidden) return null
  if (path === undefined) return toHex(world.random.bytes(SECRET_BYTES))
  const text = path === '-' ? await world.disk.readInput() : readTextFile(files, path)
  const secret = (text ?? '').trim()
  if (SECRET.test(secret)) return secret
  throw new UsageError(`${flag} must name a file with the secret of a result`)
}

/** The seed of a world by its number: the number itself, or a seed derived from a secret. */
export function worldSeed({ name }: Evaluation, number: number, secret: string | null): number {
  if (secret === null) return number
  const digest = keccak256(Buffer.from(`${secret}/${name}/${number}`))
  return 1 + Number(BigInt.asUintN(SEED_BITS, BigInt(`0x${toHex(digest)}`)))
}
