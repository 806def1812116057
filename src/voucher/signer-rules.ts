import { isLoopbackUrl } from '../core/base-url.ts'
import { addressOfPublicKey } from '../crypto/wallet-signature.ts'
import type { VoucherFile } from '../spec/voucher-config.ts'

type SignerTable = NonNullable<VoucherFile['signers']>[number]

type Rule = { readonly broken: (signer: SignerTable) => boolean; readonly line: string }

const RULES: readonly Rule[] = [
  {
    broken: ({ url }) => !urlOf(url),
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

/** What is wrong with the signers of a file, one line each. */
export function signerProblems(signers: readonly SignerTable[]): string[] {
  const keys = signers.map(({ publicKey }) => publicKey.toLowerCase())
  const isTwice = new Set(keys).size < keys.length
  return [
    ...signers.flatMap((signer, at) =>
      RULES.filter(({ broken }) => broken(signer)).map(({ line }) => `signers[${at}].${line}`),
    ),
    ...(isTwice ? ['signers has one publicKey twice'] : []),
  ]
}

/** Query and credentials would be cut off or sent along unseen. */
function urlOf(text: string): URL | null {
  const url = /^https?:\/\/[^\s\\#@?]+$/.test(text) ? URL.parse(text) : null
  return url && (url.protocol === 'https:' || isLoopbackUrl(url)) ? url : null
}
