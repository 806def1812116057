import { computed, effect } from '@preact/signals'
import { shownPage } from '../../common/address.ts'
import {
  type Exact,
  exactOrNone,
  isRecord,
  memberText,
  memberValue,
} from '../../common/exact-json.ts'
import { keptSignal } from '../../common/kept.ts'
import { nowMs } from '../../common/world.ts'
import { followTopics, pathTopic } from '../feed/service.ts'
import { type Quote, tokenAmountText, toToken, unitsIn } from './quote.ts'

const KEPT_MAX = 10

/** The swaps sent from this browser, newest first. */
export const sentSwaps = keptSignal<readonly SentSwap[]>(
  'prepd-swaps',
  parseSentSwaps,
  JSON.stringify,
)

function parseSentSwaps(text: string): readonly SentSwap[] {
  const rows = exactOrNone(text)
  return Array.isArray(rows) ? rows.filter(isRecord).slice(0, KEPT_MAX).map(toSentSwap) : []
}

/** A swap that was sent from this browser. */
export type SentSwap = Readonly<ReturnType<typeof toSentSwap>>

function toSentSwap(row: Exact) {
  const text = (name: string) => memberText(row, name)
  return {
    ...{ hash: text('hash'), fromChain: text('fromChain'), toChain: text('toChain') },
    /** The texts of the given amount and of the amount that the quote promised. */
    ...{ given: text('given'), promised: text('promised'), atMs: text('atMs') },
    /** The final answer about the swap; null before this answer. */
    ended: memberValue(row, 'ended') ?? null,
  }
}

/** Stores a sent swap. The page then follows the swap's state by its transaction hash. */
export function noteSent({ give, receive }: Quote, hash: string): void {
  const swap = {
    ...{ hash, fromChain: String(give.token.chainId), toChain: String(receive.token.chainId) },
    ...{ given: tokenAmountText(give, Infinity), promised: tokenAmountText(receive) },
    ...{ atMs: String(nowMs()), ended: null },
  }
  sentSwaps.value = [swap, ...sentSwaps.peek()].slice(0, KEPT_MAX)
}

/** Removes ended swaps from the list. */
export function forgetEnded(): void {
  sentSwaps.value = sentSwaps.peek().filter(({ ended }) => ended === null)
}

/** Polling interval: the server refreshes its answer every three seconds. */
const LOOK_EVERY_MS = 4000

const open = computed(() =>
  shownPage.value === 'swap' ? sentSwaps.value.filter(({ ended }) => ended === null) : [],
)

const readings = followTopics(() =>
  open.value.map(({ hash, fromChain, toChain }) => {
    const query = new URLSearchParams({ txHash: hash, fromChain, toChain })
    return pathTopic(`/api/swap/status?${query}`, LOOK_EVERY_MS, 'swap')
  }),
)

/** The last answer about a swap; null before the first. */
export function swapState(swap: SentSwap): Exact {
  return swap.ended ?? readings.value[open.value.indexOf(swap)]?.data ?? null
}

/** The failure of the last read of a swap; '' after a success. */
export function swapTrouble(swap: SentSwap): string {
  return readings.value[open.value.indexOf(swap)]?.failure?.message ?? ''
}

/** The text of a swap's received amount; '' before it arrives. */
export function arrivedText(state: Exact): string {
  const receiving = memberValue(state, 'receiving')
  const token = memberValue(receiving, 'token')
  return token
    ? tokenAmountText({ units: unitsIn(receiving, 'amount'), token: toToken(token) })
    : ''
}

effect(() => {
  const answers = new Map(open.value.map((swap, at) => [swap, readings.value[at]?.data ?? null]))
  const isFinal = (answer: Exact) => memberValue(answer, 'final') === true
  if (![...answers.values()].some(isFinal)) return
  sentSwaps.value = sentSwaps.peek().map((swap) => {
    const answer = answers.get(swap) ?? null
    return isFinal(answer) ? { ...swap, ended: answer } : swap
  })
})
