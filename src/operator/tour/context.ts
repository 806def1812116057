import type { Client } from '../../agents/client/client.ts'
import type { Payout, SourceChain, VoucherConfig } from '../../gateway/voucher/config.ts'
import { later } from '../command/steps.ts'
import type { LocalNode } from './local-node.ts'

/** What every step of a tour is given, and what steps bring for those after them. */
export type Tour = ReturnType<typeof newFindings> & {
  readonly client: Client
  readonly randomBytes: (length: number) => Uint8Array
  readonly sleep: (ms: number) => Promise<void>
  /** Whether the service answers from its embedded venue, where nothing is at stake. */
  readonly isEmbedded: () => boolean
  /** Sends a call that the tour's account signs. */
  readonly relay: (call: Parameters<Client['relay']>[1]) => Promise<unknown>
  /** Whether there are nodes between which a voucher is made. */
  readonly hasNodes: boolean
}

/** What steps bring, before any has run. */
export function newFindings() {
  return {
    market: later<Market>(),
    orderId: later<string>(),
    /** The size of the open position, with eight decimals. */
    size: later<bigint>(),
    quote: later<Quote>(),
    nodes: later<VoucherNodes>(),
    deposit: later<Deposit>(),
    /** How many blocks a deposit is away from being final. */
    blocksLeft: later<number>(),
    /** A voucher: how much it pays, and the calldata of its redemption. */
    issued: later<{ readonly paid: bigint; readonly call: string }>(),
  }
}

/** A market and what an order in it has to respect; all amounts have eight decimals. */
type Market = {
  readonly symbol: string
  readonly mark: bigint
  readonly quoteTick: bigint
  readonly baseTick: bigint
  readonly minNotional: bigint
}

type Quote = {
  /** An amount of the coin that arrives. */
  readonly amountOf: (units: unknown) => string
  /** The calldata of a transaction that no chain ever sees; '' for any other. */
  readonly demoCall: string
}

/** Two nodes on this machine, and the file by which the running server knows the contracts on them. */
export type VoucherNodes = {
  readonly config: VoucherConfig
  readonly source: LocalNode
  readonly destination: LocalNode
}

type Deposit = {
  readonly chain: SourceChain
  readonly destinationChainId: number
  readonly payout: Payout
  readonly recipient: string
  readonly txHash: string
}
