import { type Client, ClientFailure } from '../../client/client.ts'
import { formatDecimal } from '../../core/decimals.ts'
import { isObject } from '../../core/json.ts'
import type { Random } from '../../core/ports.ts'
import { walletAddressOf } from '../../crypto/wallet-signature.ts'
import { DEMO_SELECTOR, demoTransactionHash } from '../../swap/demo-hash.ts'
import type { Guide } from './guide.ts'

export type SwapTour = {
  readonly client: Client
  readonly random: Random
  readonly sleep: (ms: number) => Promise<void>
  /** Whether the service answers from its embedded venue, where a transfer can be followed and nothing is at stake. */
  readonly isEmbedded: boolean
}

/**
 * Asks what 100 USDC on one chain are in the coin of another, and on the embedded venue follows the transfer until it
 * is done. On a live one nothing is sent: only the price is asked. Goes on where swaps are off.
 */
export async function tourSwap(guide: Guide, tour: SwapTour): Promise<void> {
  const quote = await guide.step('swap quote', () => orNone(askQuote(tour)), tellQuote)
  const data = quote?.demoCall
  if (!quote || !data) return
  await guide.step(
    'swap status',
    () => arrival(tour, demoTransactionHash(data)),
    (amount) => `done: ${formatDecimal(amount, quote.decimals)} ${quote.coin} arrived`,
  )
}

type Quote = {
  readonly told: string
  readonly coin: string
  readonly decimals: number
  /** The calldata of a transaction that no chain ever sees; null for any other. */
  readonly demoCall: string | null
}

const USDC = 'USDC'
const AMOUNT = 100n
/** Preferred when both are served. */
const WAY = { from: 42_161, to: 8453 } as const
const LOOK_MS = 3000
const LOOKS_MAX = 20
/** How calldata of the embedded swap world begins: a function that no contract has. */

function tellQuote(quote: Quote | null): string {
  return quote?.told ?? 'swaps are not configured here'
}

/** What a call brings; null where the deployment does not have it. */
async function orNone<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call
  } catch (error) {
    if (error instanceof ClientFailure && error.code === 'not_configured') return null
    throw error
  }
}

async function askQuote(tour: SwapTour): Promise<Quote> {
  const { client } = tour
  const chains = rows(await client.get('/api/swap/chains'))
  const [from, to] = wayOf(chains)
  const search = { chainId: String(from['chainId']), search: USDC, limit: '500' }
  const tokens = rows(await client.get('/api/swap/tokens', search))
  const dollar = tokens.find(({ symbol }) => symbol === USDC)
  if (!dollar) throw new Error(`${from['name']} has no ${USDC}`)
  const answer = await client.get('/api/swap/quote', {
    fromChain: String(from['chainId']),
    toChain: String(to['chainId']),
    fromToken: String(dollar['address']),
    toToken: String(to['nativeAddress']),
    fromAmount: String(AMOUNT * 10n ** BigInt(Number(dollar['decimals']))),
    // Nobody has the key of this wallet any more, so nobody can sign what is quoted for it.
    ...(tour.isEmbedded && { fromAddress: walletAddressOf(tour.random.bytes(32)) }),
  })
  return readQuote(isObject(answer) ? answer : {}, from, to)
}

type Row = Readonly<Record<string, unknown>>

/** The preferred way, or from the first chain to the second. Throws when there are not two. */
function wayOf(chains: readonly Row[]): readonly [from: Row, to: Row] {
  const served = (chainId: number) => chains.find((row) => row['chainId'] === chainId)
  const [first, second] = chains
  const [from, to] = [served(WAY.from), served(WAY.to)]
  if (from && to) return [from, to]
  if (first && second) return [first, second]
  throw new Error('there are no two chains to swap between')
}

function readQuote(answer: Row, from: Row, to: Row): Quote {
  const { transaction } = answer
  const data = isObject(transaction) ? String(transaction['data']) : ''
  const [coin, decimals] = [String(to['nativeSymbol']), Number(to['nativeDecimals'])]
  const [amount, least] = [answer['toAmount'], answer['toAmountMin']].map(
    (units) => `${formatDecimal(unitsOf(units), decimals)} ${coin}`,
  )
  const costs = `fees ${answer['feesUsd']} USD, gas ${answer['gasUsd']} USD`
  return {
    told: `${AMOUNT} ${USDC} on ${from['name']} are ${amount} on ${to['name']}, at least ${least}; ${costs}`,
    coin,
    decimals,
    demoCall: data.startsWith(DEMO_SELECTOR) ? data : null,
  }
}

/** Looks until the transfer has ended; answers what arrived. Throws when it ended in another way than done. */
async function arrival({ client, sleep }: SwapTour, txHash: string): Promise<bigint> {
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    const answer = await client.get('/api/swap/status', { txHash })
    const { final, status, substatus, receiving } = isObject(answer) ? answer : {}
    if (final === true) {
      if (status !== 'DONE') throw new Error(`the transfer ended as ${status}, ${substatus}`)
      return unitsOf(isObject(receiving) ? receiving['amount'] : undefined)
    }
    await sleep(LOOK_MS)
  }
  throw new Error('the transfer did not end')
}

function rows(answer: unknown): readonly Row[] {
  const list = isObject(answer) ? answer['rows'] : undefined
  return Array.isArray(list) ? list.filter(isObject) : []
}

function unitsOf(value: unknown): bigint {
  if (typeof value !== 'string' || !/^\d{1,78}$/.test(value))
    throw new Error('an amount is missing')
  return BigInt(value)
}
