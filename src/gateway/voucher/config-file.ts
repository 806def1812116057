import { VALIDITY_SECONDS, VoucherFile } from '../../contract/voucher-config.ts'
import { keccakOfText } from '../../core/crypto/keccak.ts'
import { addressOfPublicKey } from '../../core/crypto/wallet-signature.ts'
import { readTomlAs } from '../../core/settings/toml-file.ts'
import { UsageError } from '../../core/settings/usage-error.ts'
import {
  type Payout,
  payoutKey,
  type RemoteKey,
  type SourceChain,
  type VoucherConfig,
} from './config.ts'
import { type ChainTable, type RemoteKeyTable, ruleProblems } from './config-rules.ts'

/**
 * Parses the file of the setting VOUCHER. Throws UsageError with one line per problem. A line names the key and never
 * repeats a value, since an endpoint's URL may contain a secret.
 */
export function readVoucherConfig(text: string): VoucherConfig & {
  /** Signers on other machines: the current signer first, then its predecessor. */
  readonly signers: readonly RemoteKey[]
} {
  const file = readTomlAs(VoucherFile, text)
  const problems = ruleProblems(file)
  if (problems.length > 0) throw new UsageError(...problems)
  return {
    chains: new Map(file.chains.map((chain) => [chain.chainId, toSourceChain(chain)])),
    caps: new Map(capRows(file)),
    validitySeconds: file.validitySeconds ?? VALIDITY_SECONDS,
    signers: (file.signers ?? []).map(toRemoteKey),
  }
}

function toRemoteKey({ url, publicKey, certificate, key, ca }: RemoteKeyTable): RemoteKey {
  const hasPair = certificate !== undefined && key !== undefined
  return {
    url: new URL(url),
    publicKey: publicKey.toLowerCase(),
    address: addressOfPublicKey(publicKey) ?? '',
    files: hasPair ? { certificate, key, ca: ca ?? null } : null,
  }
}

function toSourceChain(chain: ChainTable): SourceChain {
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
