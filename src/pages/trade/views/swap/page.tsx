import { type Exact, memberText, memberValue } from '../../../common/exact-json.ts'
import { dayTime, filledTemplate } from '../../../common/format.ts'
import { type Column, Table } from '../../../common/table.tsx'
import { findWallets } from '../../../common/wallets.ts'
import { PAGE_TEXTS } from '../../messages/page.ts'
import { SWAP_TEXTS } from '../../messages/swap.ts'
import { chainsRead } from '../../swap/choice.ts'
import {
  arrivedText,
  forgetEnded,
  type SentSwap,
  sentSwaps,
  swapState,
  swapTrouble,
} from '../../swap/sent.ts'
import { reviewedQuote } from '../../swap/swapping.ts'
import { PageFrame } from '../connect/frame.tsx'
import { Working } from '../money/working.tsx'
import { shortId } from '../parts/dialog.tsx'
import { ListPanel } from '../parts/panel.tsx'
import { ReadFailure } from '../parts/reading.tsx'
import { SwapForm } from './form.tsx'
import { QuotePanel } from './quote.tsx'
import { Review } from './review.tsx'

findWallets()

/** The page for token swaps: a quote, the review before the wallet signs, and the progress. */
export function SwapPage() {
  return (
    <PageFrame title={SWAP_TEXTS.title} why={SWAP_TEXTS.why}>
      <Content />
    </PageFrame>
  )
}

function Content() {
  const { data, failure } = chainsRead.reading.value
  if (failure?.code === 'not_configured') return <p class="panel inset">{SWAP_TEXTS.off}</p>
  if (data === null && failure)
    return (
      <section class="panel" aria-label={SWAP_TEXTS.title}>
        <ReadFailure read={chainsRead} />
      </section>
    )
  if (data === null) return <p class="empty">{PAGE_TEXTS.lists.waiting}</p>
  return (
    <>
      {!reviewedQuote.value && <Working />}
      <div class="halves">
        <SwapForm />
        <QuotePanel />
      </div>
      {sentSwaps.value.length > 0 && <SentSwaps />}
      {reviewedQuote.value && <Review shown={reviewedQuote.value} />}
    </>
  )
}

const SENT_TEXTS = SWAP_TEXTS.sent

const SENT_COLUMNS: readonly Column<SentSwap>[] = [
  [SENT_TEXTS.head.time, ({ atMs }) => dayTime(Number(atMs))],
  [SENT_TEXTS.head.given, ({ given }) => given],
  [
    SENT_TEXTS.head.received,
    (swap) =>
      arrivedText(swapState(swap)) || filledTemplate(SENT_TEXTS.about, { amount: swap.promised }),
  ],
  [SENT_TEXTS.head.status, (swap) => <Status swap={swap} />, undefined, 'text'],
  [SENT_TEXTS.head.transaction, (swap) => <Transaction swap={swap} />, undefined, 'text'],
]

/** The swaps sent from this browser, with their progress. */
function SentSwaps() {
  const canForget = sentSwaps.value.some(({ ended }) => ended !== null)
  const forget = canForget && (
    <button type="button" class="link end" onClick={forgetEnded}>
      {SENT_TEXTS.forget}
    </button>
  )
  return (
    <ListPanel title={SENT_TEXTS.title} end={forget}>
      <Table columns={SENT_COLUMNS} rows={sentSwaps.value} keyOf={({ hash }) => hash} />
    </ListPanel>
  )
}

type Props = { readonly swap: SentSwap }

function Status({ swap }: Props) {
  const state = swapState(swap)
  const trouble = swapTrouble(swap)
  return (
    <>
      <span role="status" class={stateTone(state)}>
        {statusText(state)}
      </span>
      {trouble && <small>{trouble}</small>}
    </>
  )
}

function Transaction({ swap }: Props) {
  const link = memberText(memberValue(swapState(swap), 'sending'), 'txLink')
  const text = shortId(swap.hash)
  if (!link.startsWith('https://')) return <>{text}</>
  return (
    <a href={link} rel="noreferrer" target="_blank">
      {text}
    </a>
  )
}

function stateTone(state: Exact): string {
  return { DONE: 'up', FAILED: 'down' }[memberText(state, 'status')] ?? ''
}

function statusText(state: Exact): string {
  const [status, substatus] = [memberText(state, 'status'), memberText(state, 'substatus')]
  if (status === '' || status === 'NOT_FOUND') return SENT_TEXTS.unseen
  return (
    SENT_TEXTS.states[substatus] ?? (status === 'FAILED' ? SENT_TEXTS.failed : SENT_TEXTS.pending)
  )
}
