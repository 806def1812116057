import { type Static, Type } from '@sinclair/typebox'
import { DAY_SECONDS } from './durations.ts'
import { HEX_PATTERNS } from './hex.ts'
import { VOUCHER_LIMITS } from './voucher.ts'

/** The description of each part ends the sentence "chains[0].quorum must be …" that an operator reads. */
const Address = Type.String({
  pattern: HEX_PATTERNS.address,
  description: 'an address: 0x and 40 hex characters',
})
const ChainId = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'a chain id: a whole number above zero',
})
const Amount = Type.Union(
  [
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
    Type.String({ pattern: '^[1-9][0-9]{0,76}$' }),
  ],
  { description: 'a whole number above zero, in quotes when it has more than 15 digits' },
)
const CHAIN_KEY = '^[1-9][0-9]{0,15}$'

/** The payout of a token on a chain: `amount × mul ÷ div`, floored, at most `max`, in the paid token's units. */
const Payout = Type.Object(
  { redeemer: Address, token: Address, mul: Amount, div: Amount, max: Amount },
  { additionalProperties: false, description: 'a table of redeemer, token, mul, div and max' },
)

const Chain = Type.Object(
  {
    chainId: ChainId,
    rpcs: Type.Array(Type.String({ description: 'a URL' }), {
      minItems: 2,
      maxItems: 8,
      description: 'a list of two to eight URLs',
    }),
    quorum: Type.Integer({
      minimum: 2,
      maximum: 8,
      description: 'the number of endpoints that must agree, 2 to 8',
    }),
    vault: Address,
    startBlock: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'the number of the first block whose deposits are paid',
    }),
    payableSeconds: Type.Integer({
      minimum: 3600,
      maximum: 31_536_000,
      description: 'the seconds in which a deposit can be paid, 3600 to 31536000',
    }),
    event: Type.Union([Type.Literal('Deposit'), Type.Literal('AccountDepositTo')], {
      description: 'Deposit or AccountDepositTo',
    }),
    finality: Type.Union(
      [
        Type.Literal('finalized'),
        Type.Literal('safe'),
        Type.Integer({ minimum: 1, maximum: 100_000 }),
      ],
      { description: 'finalized, safe, or a depth of 1 to 100000 blocks' },
    ),
    checkpoint: Type.Optional(
      Type.Object(
        {
          block: Type.Integer({
            minimum: 0,
            maximum: Number.MAX_SAFE_INTEGER,
            description: 'a block number',
          }),
          hash: Type.String({
            pattern: HEX_PATTERNS.hash,
            description: 'a block hash: 0x and 64 hex characters',
          }),
        },
        { additionalProperties: false, description: 'a table of block and hash' },
      ),
    ),
    destinationChainId: Type.Optional(ChainId),
    symbols: Type.Optional(
      Type.Record(Type.String({ pattern: '^[\\x21-\\x7e]{1,32}$' }), Address, {
        additionalProperties: false,
        description: 'a table from token symbols to addresses',
      }),
    ),
    payouts: Type.Record(
      Type.String({ pattern: HEX_PATTERNS.address }),
      Type.Record(Type.String({ pattern: CHAIN_KEY }), Payout, {
        additionalProperties: false,
        description: 'a table from destination chain ids to payouts',
      }),
      { additionalProperties: false, description: 'a table from source tokens to their payouts' },
    ),
  },
  { additionalProperties: false, description: 'a table' },
)

const Path = Type.String({ minLength: 1, maxLength: 4096, description: 'the path of a file' })

/** A signing key on a machine with the HTTP interface of Web3Signer. */
const Signer = Type.Object(
  {
    url: Type.String({ description: 'a URL' }),
    publicKey: Type.String({
      pattern: '^0x[0-9a-fA-F]{128}$',
      description: 'a public key as the signer lists it: 0x and 128 hex characters',
    }),
    certificate: Type.Optional(Path),
    key: Type.Optional(Path),
    ca: Type.Optional(Path),
  },
  { additionalProperties: false, description: 'a table' },
)

/** The file that the setting VOUCHER names. */
export const VoucherFile = Type.Object(
  {
    validitySeconds: Type.Optional(
      Type.Integer({
        minimum: 600,
        maximum: VOUCHER_LIMITS.validityMaxSeconds,
        description: `a whole number of seconds from 600 to ${VOUCHER_LIMITS.validityMaxSeconds}`,
      }),
    ),
    chains: Type.Array(Chain, {
      minItems: 1,
      maxItems: 32,
      description: 'one to thirty-two tables [[chains]]',
    }),
    signers: Type.Optional(
      Type.Array(Signer, {
        minItems: 1,
        maxItems: 2,
        description: 'one or two tables [[signers]]',
      }),
    ),
    caps: Type.Record(
      Type.String({ pattern: CHAIN_KEY }),
      Type.Record(Type.String({ pattern: HEX_PATTERNS.address }), Amount, {
        additionalProperties: false,
        description: 'a table from paid tokens to amounts',
      }),
      { additionalProperties: false, description: 'a table [caps.CHAIN] for each destination' },
    ),
  },
  { additionalProperties: false, description: 'a table' },
)

export type VoucherFile = Static<typeof VoucherFile>

export const VALIDITY_SECONDS = DAY_SECONDS
