import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { VOUCHER_LIMITS } from '../../src/contract/voucher.ts'
import type { Clock, LogFields } from '../../src/core/ports.ts'
import { createScrub } from '../../src/gateway/scrub/scrub.ts'
import { type Chains, createChains } from '../../src/gateway/voucher/chains.ts'
import { readVoucherConfig } from '../../src/gateway/voucher/config-file.ts'
import { VoucherRefusal } from '../../src/gateway/voucher/refusal.ts'
import { openVoucherService } from '../../src/gateway/voucher/service.ts'
import type { VoucherSigner } from '../../src/gateway/voucher/signers.ts'
import { createSigners } from '../../src/gateway/voucher/signers.ts'
import { createVouchers } from '../../src/gateway/voucher/voucher.ts'
import type { VoucherStore } from '../../src/store/voucher/port.ts'
import { openVoucherStore } from '../../src/store/voucher/sqlite.ts'
import type { Mined } from './chain.ts'
import { ABI, type Contracts, DESTINATION_ID, SIGNER, SOURCE_ID, type Stage } from './stage.ts'

/** Differences from the default settings: two endpoints that must both agree, and caps that no deposit reaches. */
export type VoucherFixtureOptions = {
  readonly rpcs?: readonly string[]
  readonly quorum?: number
  readonly chainId?: number
  readonly vault?: Address
  /** Further lines of the chain's table. */
  readonly lines?: string
  readonly event?: string
  readonly finality?: string
  readonly cap?: bigint
  readonly startBlock?: number
  readonly payableSeconds?: number
  readonly validitySeconds?: number
  /** Leaves a fresh store as it is. */
  readonly isFresh?: true
  readonly max?: bigint
  readonly mul?: bigint
  readonly div?: bigint
  readonly redeemer?: Address
  readonly signer?: VoucherSigner | null
  /** Keys that the signer takes over from. */
  readonly before?: readonly VoucherSigner[]
  /** The folder of another fixture. */
  readonly folder?: string
  /** Replaces `fetch` between the service and its chains. */
  readonly around?: (chains: Chains) => Chains
}

/** The part of a stage that the fixture uses. */
type VoucherStage = Pick<Stage, 'contracts' | 'endpoints'> & { readonly clock: Clock }

/** A gateway's part for vouchers on a stage, and how to ask it. */
export function openVoucherFixture(stage: VoucherStage, options: VoucherFixtureOptions = {}) {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'prepd-voucher-'))
  const config = readVoucherConfig(configText(stage, options))
  const { clock } = stage
  const store = openVoucherStore(join(folder, 'prepd.sqlite'))
  // What is asked of the store next is done after it.
  if (!options.isFresh) void adopt(store, clock)
  const chains = createChains({
    chains: config.chains,
    clock,
    deadlineMs: VOUCHER_LIMITS.endpointDeadlineMs,
  })
  const signed: string[] = []
  const given = options.signer === undefined ? SIGNER : options.signer
  const signer = given && {
    address: given.address,
    sign: async (message: Uint8Array) => {
      signed.push(message.toHex())
      return given.sign(message)
    },
  }
  const logged: { level: string; event: string; fields?: LogFields | undefined }[] = []
  const at = (level: string) => (event: string, fields?: LogFields) =>
    void logged.push({ level, event, fields })
  const log = { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') }
  const keys = signer && [signer, ...(options.before ?? [])]
  const fixture = openVoucherService({
    config,
    clock,
    store,
    signers: keys && createSigners({ keys, store, monotonicMs: clock.nowMs, log }),
    chains: options.around?.(chains) ?? chains,
  })
  const deps = {
    clock,
    service: fixture,
    log,
    scrub: createScrub({ names: [] }),
  }

  /** Asks for the voucher of a transaction, as the route does. */
  async function ask(tx: Mined | Hex, logIndex?: number, chainId = options.chainId ?? SOURCE_ID) {
    const txHash = typeof tx === 'string' ? tx : tx.transactionHash
    const body = { chainId, txHash, ...(logIndex !== undefined && { logIndex }) }
    try {
      const { status, reply, headers } = await createVouchers(deps).issue(body)
      return { status, headers, text: reply.text(), body: JSON.parse(reply.text()) }
    } catch (error) {
      if (!(error instanceof VoucherRefusal)) throw error
      const { status, error: sentence, retryAfterSeconds } = error
      return { status, headers: {}, text: '', body: { error: sentence, retryAfterSeconds } }
    }
  }

  return {
    ask,
    store,
    folder,
    /** What the key signed. */
    signed,
    logged,
    close: () => {
      store.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type VoucherFixture = ReturnType<typeof openVoucherFixture>

/** What the operator does once with a store in which nothing was issued. */
export function adopt(store: VoucherStore, { nowMs }: Clock): Promise<void> {
  return store.atomically(async (books) => {
    if (!(await books.isAdopted())) await books.record({ atMs: nowMs(), event: 'adopted' })
  })
}

type FileGround = {
  readonly contracts: Pick<Contracts, 'token' | 'feeToken' | 'vault' | 'paid' | 'redeemer'>
  readonly endpoints: readonly { readonly url: string }[]
}

/** The file of the setting VOUCHER for a stage. */
export function configText(
  { contracts, endpoints }: FileGround,
  options: VoucherFixtureOptions,
): string {
  const { token, feeToken, paid } = contracts
  const rpcs = options.rpcs ?? endpoints.slice(0, 2).map(({ url }) => url)
  const payout = (source: Address) => `
    [chains.payouts."${source}".${DESTINATION_ID}]
    redeemer = "${options.redeemer ?? contracts.redeemer}"
    token = "${paid}"
    mul = "${options.mul ?? 1n}"
    div = "${options.div ?? 1n}"
    max = "${options.max ?? options.cap ?? 10n ** 30n}"`
  return `
    validitySeconds = ${options.validitySeconds ?? 86_400}
    [caps.${DESTINATION_ID}]
    "${paid}" = "${options.cap ?? 10n ** 40n}"
    [[chains]]
    chainId = ${options.chainId ?? SOURCE_ID}
    rpcs = ${JSON.stringify(rpcs)}
    quorum = ${options.quorum ?? 2}
    vault = "${options.vault ?? contracts.vault}"
    startBlock = ${options.startBlock ?? 0}
    payableSeconds = ${options.payableSeconds ?? 2_592_000}
    event = "${options.event ?? 'Deposit'}"
    finality = ${options.finality ?? '"finalized"'}
    ${options.lines ?? ''}
    ${payout(token)}
    ${payout(feeToken)}`
}

type Issued = { readonly voucher: Record<string, string>; readonly signature: Hex }

/** Redeems an issued voucher on the destination; answers the transaction. */
export function redeem({ destination, contracts }: Stage, body: Issued): Promise<Mined> {
  const args = [voucherArgument(body), body.signature] as const
  const data = encodeFunctionData({ abi: ABI, functionName: 'redeem', args })
  return destination.send({ to: contracts.redeemer, data })
}

/** The struct that the redeemer takes. */
export function voucherArgument({ voucher: v }: Pick<Issued, 'voucher'>) {
  return {
    sourceChainId: BigInt(v['sourceChainId'] ?? ''),
    sourceVault: addressOf(v['sourceVault']),
    depositId: BigInt(v['depositId'] ?? ''),
    recipient: addressOf(v['recipient']),
    token: addressOf(v['token']),
    amount: BigInt(v['amount'] ?? ''),
    validUntil: BigInt(v['validUntil'] ?? ''),
  }
}

function addressOf(text: string | undefined): Address {
  return `0x${text?.slice(2) ?? ''}`
}
