import { type Client, ClientFailure } from '../../client/client.ts'
import { formatDecimal } from '../../core/decimals.ts'
import { isObject } from '../../core/json.ts'
import type { Random } from '../../core/ports.ts'
import { walletAddressOf } from '../../crypto/wallet-signature.ts'
import { DEMO_SELECTOR, demoTransactionHash } from '../../swap/demo-hash.ts'
import { later, lookUntil, rowsOf, type Step } from '../command/steps.ts'

type SwapTour = {
  readonly client: Client
  readonly random: Random
  readonly sleep: (ms: number) => Promise<void>
  /** Whether the service answers from its embedded venue, where a transfer can be followed and nothing is at stake. */
  readonly isEmbedded: () => boolean
}

/**
 * Asks what 100 USDC on one chain are in the coin of another, and on the embedded venue follows the transfer until it
 * is done. On a live one nothing is sent: only the price is asked. Goes on where swaps are off.
 */
export function swapSteps(tour: SwapTour): readonly Step[] {
  const quote = later<Quote | null>()
  return [
    [
      'swap quote',
      async () =>
        quote.set(await orNone(askQuote(tour)))?.sentence ?? 'swaps are not configured here',
    ],
    [
      'swap status',
      async () => {
        const { demoCall = null, decimals = 0, coin = '' } = quote.get() ?? {}
        const amount = await arrival(tour, demoTransactionHash(demoCall ?? ''))
        return `done: ${formatDecimal(amount, decimals)} ${coin} arrived`
      },
      () => Boolean(quote.get()?.demoCall),
    ],
  ]
}

type Quote = {
  readonly sentence: string
  readonly coin: string
  readonly decimals: number
  /** The calldata of a transaction that no chain ever sees; null for any other. */
  readonly demoCall: string | null
}

const USDC = 'USDC'
const AMOUNT = 100n
/** Preferred when both are served. */
const WAY = { from: 42_161, to: 8453 } as const
const ARRIVING = { everyMs: 3000, looksMax: 20 } as const

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
  const chains = rowsOf(await client.get('/api/swap/chains'), 'rows')
  const [from, to] = wayOf(chains)
  const search = { chainId: String(from['chainId']), search: USDC, limit: '500' }
  const tokens = rowsOf(await client.get('/api/swap/tokens', search), 'rows')
  const dollar = tokens.find(({ symbol }) => symbol === USDC)
  if (!dollar) throw new Error(`${from['name']} has no ${USDC}`)
  const answer = await client.get('/api/swap/quote', {
    fromChain: String(from['chainId']),
    toChain: String(to['chainId']),
    fromToken: String(dollar['address']),
    toToken: String(to['nativeAddress']),
    fromAmount: String(AMOUNT * 10n ** BigInt(Number(dollar['decimals']))),
    // Nobody has the key of this wallet any more, so nobody can sign what is quoted for it.
    ...(tour.isEmbedded() && { fromAddress: walletAddressOf(tour.random.bytes(32)) }),
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
    sentence: `${AMOUNT} ${USDC} on ${from['name']} are ${amount} on ${to['name']}, at least ${least}; ${costs}`,
    coin,
    decimals,
    demoCall: data.startsWith(DEMO_SELECTOR) ? data : null,
  }
}

/** Looks until the transfer has ended; answers what arrived. Throws when it ended in another way than done. */
function arrival({ client, sleep }: SwapTour, txHash: string): Promise<bigint> {
  const look = async () => {
    const answer = await client.get('/api/swap/status', { txHash })
    const { final, status, substatus, receiving } = isObject(answer) ? answer : {}
    if (final !== true) return null
    if (status !== 'DONE') throw new Error(`the transfer ended as ${status}, ${substatus}`)
    return unitsOf(isObject(receiving) ? receiving['amount'] : undefined)
  }
  return lookUntil({ sleep, ...ARRIVING }, look, 'the transfer did not end')
}

function unitsOf(value: unknown): bigint {
  if (typeof value !== 'string' || !/^\d{1,78}$/.test(value))
    throw new Error('an amount is missing')
  return BigInt(value)
}
