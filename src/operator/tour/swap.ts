import { ClientFailure } from '../../agents/client/client.ts'
import { DEMO_SELECTOR, demoTransactionHash } from '../../core/crypto/demo-swap.ts'
import { toWalletAddress } from '../../core/crypto/wallet-signature.ts'
import { formatDecimal } from '../../core/decimals.ts'
import { isObject, type Row, rowsAt } from '../../core/json.ts'
import { pollUntil } from '../command/steps.ts'
import type { Tour } from './context.ts'

const USDC = 'USDC'
const AMOUNT = 100n
/** The preferred route: from the first chain to the second, if both are available. */
const CHAINS = [42_161, 8453] as const
const ARRIVING = { everyMs: 3000, pollsMax: 20 } as const

/** Requests a quote for 100 USDC from one chain to another, and sends nothing. If swaps are off, the tour continues. */
export async function askQuote(tour: Tour): Promise<string> {
  try {
    return await quoted(tour)
  } catch (error) {
    if (!(error instanceof ClientFailure) || error.code !== 'not_configured') throw error
    tour.quote.set({ amountOf: String, demoCall: '' })
    return 'swaps are not configured here'
  }
}

async function quoted(tour: Tour): Promise<string> {
  const { client } = tour
  const [from, to] = chainPair(rowsAt(await client.get('/api/swap/chains'), 'rows'))
  const search = { chainId: String(from['chainId']), search: USDC, limit: '500' }
  const tokens = rowsAt(await client.get('/api/swap/tokens', search), 'rows')
  const dollar = tokens.find(({ symbol }) => symbol === USDC)
  if (!dollar) throw new Error(`${from['name']} has no ${USDC}`)
  const answer = await client.get('/api/swap/quote', {
    fromChain: String(from['chainId']),
    toChain: String(to['chainId']),
    fromToken: String(dollar['address']),
    toToken: String(to['nativeAddress']),
    fromAmount: String(AMOUNT * 10n ** BigInt(Number(dollar['decimals']))),
    // The key of this wallet is discarded, so the quote cannot be signed.
    ...(tour.isEmbedded() && { fromAddress: toWalletAddress(tour.randomBytes(32)) }),
  })
  return readQuote(tour, isObject(answer) ? answer : {}, from, to)
}

/**
 * The preferred chains if both are listed, otherwise the first two chains. Throws if fewer than two chains are listed.
 */
function chainPair(chains: readonly Row[]): readonly [from: Row, to: Row] {
  const served = CHAINS.flatMap((chainId) => chains.filter((row) => row['chainId'] === chainId))
  const [from, to] = served.length === CHAINS.length ? served : chains
  if (!from || !to) throw new Error('there are no two chains to swap between')
  return [from, to]
}

function readQuote(tour: Tour, answer: Row, from: Row, to: Row): string {
  const { transaction, toAmount, toAmountMin, feesUsd, gasUsd } = answer
  const data = isObject(transaction) ? String(transaction['data']) : ''
  const { amountOf } = tour.quote.set({
    amountOf: (units) => `${coinText(units, Number(to['nativeDecimals']))} ${to['nativeSymbol']}`,
    demoCall: data.startsWith(DEMO_SELECTOR) ? data : '',
  })
  const [amount, least] = [amountOf(toAmount), amountOf(toAmountMin)]
  const costs = `fees ${feesUsd} USD, gas ${gasUsd} USD`
  return `${AMOUNT} ${USDC} on ${from['name']} are ${amount} on ${to['name']}, at least ${least}; ${costs}`
}

/** Polls until the transfer ends. Throws an Error unless the transfer succeeds. */
export async function followTransfer({ client, sleep, quote }: Tour): Promise<string> {
  const { amountOf, demoCall } = quote.get()
  const poll = async () => {
    const answer = await client.get('/api/swap/status', { txHash: demoTransactionHash(demoCall) })
    const { final, status, substatus, receiving } = isObject(answer) ? answer : {}
    if (final !== true) return null
    if (status !== 'DONE') throw new Error(`the transfer ended as ${status}, ${substatus}`)
    return amountOf(isObject(receiving) ? receiving['amount'] : undefined)
  }
  return `done: ${await pollUntil({ sleep, ...ARRIVING }, poll, 'the transfer did not end')} arrived`
}

function coinText(units: unknown, decimals: number): string {
  const isAmount = typeof units === 'string' && /^\d{1,78}$/.test(units)
  if (!isAmount) throw new Error('an amount is missing')
  return formatDecimal(BigInt(units), decimals)
}
