import type { Client } from '../../agents/client/client.ts'
import type { Payout, SourceChain, VoucherConfig } from '../../gateway/voucher/config.ts'
import { createStepValue } from '../command/steps.ts'
import type { LocalNode } from './local-node.ts'

/** The context of every step of a tour, with the results of earlier steps. */
export type Tour = ReturnType<typeof newFindings> & {
  readonly client: Client
  readonly randomBytes: (length: number) => Uint8Array
  readonly sleep: (ms: number) => Promise<void>
  /** Whether the service uses its embedded venue, where no real money is at risk. */
  readonly isEmbedded: () => boolean
  /** Sends a call that the tour's account signs. */
  readonly relay: (call: Parameters<Client['relay']>[1]) => Promise<unknown>
  /** Whether the command line names the nodes that a voucher needs. */
  readonly hasNodes: boolean
}

/** Results that steps set for later steps; initially empty. */
export function newFindings() {
  return {
    market: createStepValue<Market>(),
    orderId: createStepValue<string>(),
    /** The size of the open position, with eight decimals. */
    size: createStepValue<bigint>(),
    quote: createStepValue<Quote>(),
    nodes: createStepValue<VoucherNodes>(),
    deposit: createStepValue<Deposit>(),
    /** Number of blocks until a deposit is final. */
    blocksLeft: createStepValue<number>(),
    /** The issued voucher: its payout (`paid`), and the calldata that redeems it (`call`). */
    issued: createStepValue<{ readonly paid: bigint; readonly call: string }>(),
  }
}

/** A market with its order rules. All amounts have eight decimals. */
type Market = {
  readonly symbol: string
  readonly mark: bigint
  readonly quoteTick: bigint
  readonly baseTick: bigint
  readonly minNotional: bigint
}

type Quote = {
  /** An amount of the destination coin, as text. */
  readonly amountOf: (units: unknown) => string
  /** The calldata for the embedded swap world's transaction; '' if the swap is real. */
  readonly demoCall: string
}

/** Two development nodes on this machine, and the running server's voucher file, which names their contracts. */
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
