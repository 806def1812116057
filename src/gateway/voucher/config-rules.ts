import type { VoucherFile } from '../../contract/voucher-config.ts'
import { isLoopbackHost, isLoopbackUrl, withoutBrackets } from '../../core/base-url.ts'
import { limitKey } from '../../core/client-address.ts'
import { isEip55 } from '../../core/crypto/checksum.ts'
import { addressOfPublicKey } from '../../core/crypto/wallet-signature.ts'
import { ZERO_ADDRESS } from '../../core/hex.ts'

export type ChainTable = VoucherFile['chains'][number]
export type RemoteKeyTable = NonNullable<VoucherFile['signers']>[number]

/** A value and its name in the file. */
type Named<Value> = { readonly name: string; readonly value: Value }

/** The problems of a file that matches its schema, one line each; empty for a valid file. */
export function ruleProblems(file: VoucherFile): string[] {
  return [
    ...file.chains.flatMap((chain, at) => chainProblems(chain, `chains[${at}]`)),
    ...namedAddresses(file).flatMap(addressProblems),
    ...repeated(file.chains.map(({ chainId }, at) => [`chains[${at}].chainId`, String(chainId)])),
    ...capProblems(file),
    ...signerProblems(file.signers ?? []),
  ]
}

type Rule<Table> = {
  readonly broken: (table: Table) => boolean
  /** The part of the name after the table's name. */
  readonly line: string
}

const CHAIN_RULES: readonly Rule<ChainTable>[] = [
  {
    broken: ({ rpcs }) => !rpcs.every((text) => parseEndpoint(text)),
    line: 'rpcs must be https URLs, or http to loopback, without credentials or fragment',
  },
  {
    broken: ({ rpcs }) => new Set(rpcs.map(endpointIdentity)).size < rpcs.length,
    line: 'rpcs must be of different hosts: two endpoints of one operator are one witness',
  },
  {
    broken: ({ rpcs, quorum }) => quorum > rpcs.length,
    line: 'quorum must not exceed the number of endpoints',
  },
  {
    broken: ({ rpcs, quorum }) => quorum * 2 <= rpcs.length,
    line: 'quorum must exceed half of the endpoints, so that no two quorums can contradict each other',
  },
  {
    broken: ({ payouts }) => Object.values(payouts).flatMap(Object.values).length === 0,
    line: 'payouts must hold at least one payout',
  },
  {
    broken: ({ payouts }) =>
      Object.values(payouts).some(
        (row) => !Object.keys(row).map(Number).every(Number.isSafeInteger),
      ),
    line: 'payouts must name destinations below 9007199254740992',
  },
  {
    broken: ({ event, symbols, destinationChainId }) =>
      event === 'Deposit' && (symbols !== undefined || destinationChainId !== undefined),
    line: 'symbols and destinationChainId go with event AccountDepositTo: Deposit states both itself',
  },
  {
    broken: ({ event, symbols, destinationChainId }) =>
      event === 'AccountDepositTo' && (symbols === undefined || destinationChainId === undefined),
    line: 'symbols and destinationChainId are needed with event AccountDepositTo, which states neither',
  },
  {
    broken: ({ symbols, payouts }) =>
      symbols !== undefined && !Object.keys(payouts).every((token) => includes(symbols, token)),
    line: 'symbols must have every source token of payouts',
  },
  {
    broken: ({ destinationChainId, payouts }) =>
      destinationChainId !== undefined &&
      !Object.values(payouts).every((row) =>
        Object.keys(row).every((key) => key === String(destinationChainId)),
      ),
    line: 'payouts must all be on destinationChainId, since no deposit goes elsewhere',
  },
]

function chainProblems(chain: ChainTable, name: string): string[] {
  const tokens = Object.keys(chain.payouts).map((token) => token.toLowerCase())
  const twice = new Set(tokens).size < tokens.length
  return [
    ...CHAIN_RULES.filter(({ broken }) => broken(chain)).map(({ line }) => `${name}.${line}`),
    ...(twice ? [`${name}.payouts has one token twice, in two spellings`] : []),
  ]
}

const SIGNER_RULES: readonly Rule<RemoteKeyTable>[] = [
  {
    broken: ({ url }) => url.includes('?') || !parseEndpoint(url),
    line: 'url must be https, or http to loopback, without credentials, query or fragment',
  },
  {
    broken: ({ publicKey }) => addressOfPublicKey(publicKey) === null,
    line: 'publicKey is no point of secp256k1: a character is mistyped',
  },
  {
    broken: ({ certificate, key }) => (certificate === undefined) !== (key === undefined),
    line: 'certificate and key go together: give both or neither',
  },
  {
    broken: ({ ca, certificate }) => ca !== undefined && certificate === undefined,
    line: 'ca goes with certificate and key',
  },
  {
    broken: ({ url, certificate }) => !isLoopbackUrl(URL.parse(url)) && certificate === undefined,
    line: 'certificate and key are needed: who signs for anybody that asks signs for thieves',
  },
]

function signerProblems(signers: readonly RemoteKeyTable[]): string[] {
  const keys = signers.map(({ publicKey }) => publicKey.toLowerCase())
  const isTwice = new Set(keys).size < keys.length
  return [
    ...signers.flatMap((signer, at) =>
      SIGNER_RULES.filter(({ broken }) => broken(signer)).map(
        ({ line }) => `signers[${at}].${line}`,
      ),
    ),
    ...(isTwice ? ['signers has one publicKey twice'] : []),
  ]
}

// A secret may be in the path or the query. Refuses white space and backslashes, which the URL parser would accept.
const ENDPOINT = /^https?:\/\/[^\s\\#@]+$/

function parseEndpoint(text: string): URL | null {
  const url = ENDPOINT.test(text) ? URL.parse(text) : null
  return url && (url.protocol === 'https:' || isLoopbackUrl(url)) ? url : null
}

/** The identity of an endpoint: its normalised host. On this machine it is the port, since each port is a different program. */
function endpointIdentity(text: string): string {
  const url = URL.parse(text)
  if (!url) return text
  const host = withoutBrackets(url.hostname).replace(/\.$/, '')
  if (!isLoopbackHost(host)) return limitKey(host)
  return `loopback:${url.port || (url.protocol === 'https:' ? 443 : 80)}`
}

function includes(symbols: Readonly<Record<string, string>>, token: string): boolean {
  return Object.values(symbols).some((known) => known.toLowerCase() === token.toLowerCase())
}

function namedAddresses({ chains, caps }: VoucherFile): Named<string>[] {
  const own = chains.flatMap(({ vault, symbols = {}, payouts }, at): Named<string>[] => [
    { name: `chains[${at}].vault`, value: vault },
    ...Object.entries(symbols).map(([symbol, value]) => ({
      name: `chains[${at}].symbols.${symbol}`,
      value,
    })),
    ...Object.entries(payouts).flatMap(([token, row]) => [
      { name: `chains[${at}].payouts.${token}`, value: token },
      ...Object.entries(row).flatMap(([chainId, terms]) =>
        (['redeemer', 'token'] as const).map((key) => ({
          name: `chains[${at}].payouts.${token}.${chainId}.${key}`,
          value: terms[key],
        })),
      ),
    ]),
  ])
  const capped = Object.entries(caps).flatMap(([chainId, tokens]) =>
    Object.keys(tokens).map((value) => ({ name: `caps.${chainId}.${value}`, value })),
  )
  return [...own, ...capped]
}

function addressProblems({ name, value }: Named<string>): string[] {
  if (!isEip55(value)) return [`${name} has a wrong checksum: a character is mistyped`]
  // The zero address stands for a native coin, whose deposits emit no event. It is also useless as a redeemer.
  return value === ZERO_ADDRESS ? [`${name} must not be the zero address`] : []
}

type Amount = string | number
type AmountRow = readonly [name: string, key: string, amount: Amount]

/**
 * Problems of caps. Each paid token needs a cap, at least as high as the token's largest single payout. Each cap must
 * belong to a paid token.
 */
function capProblems({ chains, caps }: VoucherFile): string[] {
  const paid = chains.flatMap(({ payouts }, at) =>
    Object.entries(payouts).flatMap(([source, row]) =>
      Object.entries(row).map(
        ([chainId, { token, max }]): AmountRow => [
          `chains[${at}].payouts.${source}.${chainId}`,
          `${chainId}.${token.toLowerCase()}`,
          max,
        ],
      ),
    ),
  )
  const capped = Object.entries(caps).flatMap(([chainId, tokens]) =>
    Object.entries(tokens).map(
      ([token, cap]): AmountRow => [
        `caps.${chainId}.${token}`,
        `${chainId}.${token.toLowerCase()}`,
        cap,
      ],
    ),
  )
  return [
    ...paid.flatMap((row) => payoutProblems(row, capped)),
    ...capped.flatMap(([name, key]) =>
      paid.some(([, other]) => other === key) ? [] : [`${name} limits a token that no payout pays`],
    ),
    ...repeated(capped),
  ]
}

function payoutProblems([name, key, max]: AmountRow, capped: readonly AmountRow[]): string[] {
  const [, , cap] = capped.find(([, other]) => other === key) ?? []
  if (cap === undefined) return [`${name}.token has no entry in caps`]
  return BigInt(max) > BigInt(cap) ? [`${name}.max exceeds the cap of its token`] : []
}

function repeated(rows: readonly (readonly [name: string, key: string, ...unknown[]])[]): string[] {
  return rows.flatMap(([name, key], at) =>
    rows.findIndex(([, other]) => other === key) < at ? [`${name} is given twice`] : [],
  )
}
