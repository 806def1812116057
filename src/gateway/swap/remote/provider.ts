import { SWAP_LIMITS } from '../../../contract/swap.ts'
import { formatDecimal } from '../../../core/decimals.ts'
import { Failure } from '../../../core/failure.ts'
import { isObject } from '../../../core/json.ts'
import type { Clock, Log } from '../../../core/ports.ts'
import {
  type SwapOrder,
  type SwapProvider,
  type SwapTransfer,
  type TransferQuery,
  UNKNOWN_TRANSFER,
} from '../provider.ts'
import { type SwapCall, type SwapHttp, type SwapReply, swapHttp } from './http.ts'
import {
  CHAINS_PATH,
  keyHeader,
  parseWireChain,
  parseWireToken,
  WireError,
  wireRows,
} from './wire.ts'
import { parseTransfer, parseWireQuote } from './wire-answers.ts'
import { isKeyRefused, isUnknown, listFailure, quoteFailure } from './wire-failures.ts'

type RemoteSwapOptions = {
  /** Scheme, host and port. */
  readonly base: URL
  readonly key: string | null
  readonly integrator: string | null
  /** Contracts that transactions may call, in lower case; null: any contract. */
  readonly routers: ReadonlySet<string> | null
  readonly clock: Clock
  readonly log: Log
}

/** A swap provider that speaks LI.FI’s HTTP API (`/v1/chains`, `/v1/tokens`, `/v1/quote`, `/v1/status`). */
export function remoteSwap(options: RemoteSwapOptions): SwapProvider {
  const { base, key, integrator, routers, clock, log } = options
  const http = swapHttp({ base, headers: keyHeader(key), clock })
  const ask = (call: Call, failureOf: ToFailure) => callProvider(http, log, call, failureOf)

  return {
    origin: base.origin,
    routers,
    chains: async () => {
      const reply = await ask(listCall(CHAINS_PATH), listFailure)
      return readSwapAnswer(log, () => parseChains(reply))
    },
    tokens: async (chainId) => {
      const call = listCall(queryPath('/v1/tokens', { chains: String(chainId) }))
      const reply = await ask(call, listFailure)
      return readSwapAnswer(log, () => parseTokens(reply, chainId))
    },
    quote: async (order) => {
      const call = { ...QUOTE, path: queryPath('/v1/quote', quoteQuery(order, integrator)) }
      const { body } = await ask(call, quoteFailure)
      return readSwapAnswer(log, () => parseWireQuote(isObject(body) ? body : {}))
    },
    transfer: async (query) => {
      const call = { ...STATUS, path: queryPath('/v1/status', statusQuery(query)) }
      const reply = await ask(call, listFailure)
      return readSwapAnswer(log, () => readTransfer(reply, query))
    },
  }
}

type Call = SwapCall & { readonly mayBeUnknown?: true }
type ToFailure = (reply: SwapReply) => Failure

const QUOTE = {
  quota: 'quote',
  deadlineMs: SWAP_LIMITS.quoteDeadlineMs,
  bodyMaxBytes: SWAP_LIMITS.quoteBodyMaxBytes,
} as const

const STATUS = {
  quota: 'other',
  deadlineMs: SWAP_LIMITS.statusDeadlineMs,
  bodyMaxBytes: SWAP_LIMITS.quoteBodyMaxBytes,
  mayBeUnknown: true,
} as const

/** An address without an owner, sent for an indicative price because the wire always requires a wallet. */
const UNOWNED_ADDRESS = '0x000000000000000000000000000000000000dead'

const BPS_DECIMALS = 4

async function callProvider(
  http: SwapHttp,
  log: Log,
  call: Call,
  failureOf: ToFailure,
): Promise<SwapReply> {
  const reply = await http(call)
  if (reply.status === 200 && isObject(reply.body)) return reply
  if (call.mayBeUnknown && isUnknown(reply)) return reply
  if (isKeyRefused(reply)) {
    log.error('swap.key_refused', { status: reply.status })
    throw new Failure('upstream_unavailable')
  }
  throw failureOf(reply)
}

/** Runs a reader. Turns a WireError into Failure upstream_unavailable. */
function readSwapAnswer<T>(log: Log, reader: () => T): T {
  try {
    return reader()
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    log.warn('swap.answer_malformed', { field: error.field })
    throw new Failure('upstream_unavailable', undefined, { cause: error })
  }
}

function parseChains({ body }: SwapReply) {
  const rows = isObject(body) ? body['chains'] : undefined
  if (!Array.isArray(rows)) throw new WireError('chains')
  return wireRows(rows, SWAP_LIMITS.chainsMax).flatMap((row) => parseWireChain(row) ?? [])
}

function parseTokens({ body }: SwapReply, chainId: number) {
  const lists = isObject(body) ? body['tokens'] : undefined
  if (!isObject(lists)) throw new WireError('tokens')
  const rows = wireRows(lists[String(chainId)], SWAP_LIMITS.tokensPerChainMax)
  return rows
    .flatMap((row) => parseWireToken(row) ?? [])
    .filter((token) => token.chainId === chainId)
}

function readTransfer(reply: SwapReply, { txHash }: TransferQuery): SwapTransfer {
  if (reply.status !== 200) return UNKNOWN_TRANSFER
  return parseTransfer(isObject(reply.body) ? reply.body : {}, txHash)
}

function listCall(path: string): Call {
  return {
    path,
    quota: 'other',
    deadlineMs: SWAP_LIMITS.listDeadlineMs,
    bodyMaxBytes: SWAP_LIMITS.listBodyMaxBytes,
  }
}

/** The query of a quote. Always sends the slippage, as a fraction, because the wire's default has changed before. */
function quoteQuery(order: SwapOrder, integrator: string | null): Readonly<Record<string, string>> {
  const { wallets, slippageBps, preference } = order
  return {
    fromChain: String(order.fromChainId),
    toChain: String(order.toChainId),
    fromToken: order.fromToken,
    toToken: order.toToken,
    fromAmount: String(order.fromAmount),
    fromAddress: wallets?.from ?? UNOWNED_ADDRESS,
    toAddress: wallets?.to ?? UNOWNED_ADDRESS,
    slippage: formatDecimal(BigInt(slippageBps), BPS_DECIMALS),
    order: preference,
    ...(wallets === null && { skipSimulation: 'true' }),
    ...(integrator !== null && { integrator }),
  }
}

function statusQuery({ txHash, fromChainId, toChainId }: TransferQuery) {
  return {
    txHash,
    ...(fromChainId !== null && { fromChain: String(fromChainId) }),
    ...(toChainId !== null && { toChain: String(toChainId) }),
  }
}

function queryPath(path: string, query: Readonly<Record<string, string>>): string {
  return `${path}?${new URLSearchParams(query)}`
}
