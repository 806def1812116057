import { ValueErrorType } from '@sinclair/typebox/errors'
import { Value } from '@sinclair/typebox/value'
import { keccakOfText } from '../crypto/keccak.ts'
import { readToml, TomlError } from '../settings/toml.ts'
import { UsageError } from '../settings/usage-error.ts'
import { VALIDITY_SECONDS, VoucherFile } from '../spec/voucher-config.ts'
import { type Payout, payoutKey, type SourceChain, type VoucherConfig } from './config.ts'
import { ruleProblems } from './config-rules.ts'

/**
 * Reads the file of the setting VOUCHER. Throws UsageError with one line for each problem; a line names the key
 * and never repeats a value, since the address of an endpoint may hold a key of its own.
 */
export function readVoucherConfig(text: string): VoucherConfig {
  const file = checkedFile(tableOf(text))
  const problems = ruleProblems(file)
  if (problems.length > 0) throw new UsageError(...problems)
  return {
    chains: new Map(file.chains.map((chain) => [chain.chainId, chainOf(chain)])),
    caps: new Map(capRows(file)),
    validitySeconds: file.validitySeconds ?? VALIDITY_SECONDS,
  }
}

const PROBLEMS_MAX = 20

function tableOf(text: string): unknown {
  try {
    return readToml(text)
  } catch (error) {
    if (error instanceof TomlError) throw new UsageError(error.message)
    throw error
  }
}

function checkedFile(table: unknown): VoucherFile {
  if (Value.Check(VoucherFile, table)) return table
  const lines = new Map<string, string>()
  for (const { type, path, schema } of Value.Errors(VoucherFile, table)) {
    const name = nameOf(path)
    if (!lines.has(name))
      lines.set(name, lineOf(name, type, schema.description ?? 'something else'))
    if (lines.size === PROBLEMS_MAX) break
  }
  throw new UsageError(...lines.values())
}

function lineOf(name: string, type: ValueErrorType, description: string): string {
  if (type === ValueErrorType.ObjectAdditionalProperties) return `${name} is not known here`
  const missing = type === ValueErrorType.ObjectRequiredProperty
  return missing ? `${name} is missing: give ${description}` : `${name} must be ${description}`
}

/** `chains[0].rpcs[1]` of the pointer `/chains/0/rpcs/1`. */
function nameOf(pointer: string): string {
  return pointer
    .slice(1)
    .replaceAll(/\/(\d{1,2})(?=\/|$)/g, '[$1]')
    .replaceAll('/', '.')
}

type ChainTable = VoucherFile['chains'][number]

function chainOf(chain: ChainTable): SourceChain {
  const { checkpoint, destinationChainId = null, symbols = {} } = chain
  return {
    ...chain,
    rpcs: chain.rpcs.map((url) => new URL(url)),
    vault: chain.vault.toLowerCase(),
    startBlock: BigInt(chain.startBlock),
    checkpoint: checkpoint ? { ...checkpoint, hash: checkpoint.hash.toLowerCase() } : null,
    destinationChainId,
    symbols: new Map(
      Object.entries(symbols).map(([symbol, token]) => [keccakOfText(symbol), token.toLowerCase()]),
    ),
    payouts: new Map(payoutRows(chain)),
  }
}

function payoutRows({ payouts }: ChainTable): [string, Payout][] {
  return Object.entries(payouts).flatMap(([source, destinations]) =>
    Object.entries(destinations).map(([chainId, terms]): [string, Payout] => [
      payoutKey(source.toLowerCase(), Number(chainId)),
      {
        redeemer: terms.redeemer.toLowerCase(),
        token: terms.token.toLowerCase(),
        mul: BigInt(terms.mul),
        div: BigInt(terms.div),
        max: BigInt(terms.max),
      },
    ]),
  )
}

function capRows({ caps }: VoucherFile): [string, bigint][] {
  return Object.entries(caps).flatMap(([chainId, tokens]) =>
    Object.entries(tokens).map(([token, cap]): [string, bigint] => [
      payoutKey(token.toLowerCase(), Number(chainId)),
      BigInt(cap),
    ]),
  )
}
