import { findWallets } from '../../../common/wallets.ts'
import { M } from '../../messages/page.ts'
import { S } from '../../messages/swap.ts'
import { chainsRead } from '../../swap/choice.ts'
import { sentSwaps } from '../../swap/sent.ts'
import { reviewed } from '../../swap/swapping.ts'
import { PageFrame } from '../connect/frame.tsx'
import { Working } from '../money/working.tsx'
import { ReadFailure } from '../parts/reading.tsx'
import { SwapForm } from './form.tsx'
import { QuotePanel } from './quote.tsx'
import { Review } from './review.tsx'
import { SentSwaps } from './sent.tsx'

findWallets()

/** Swaps of tokens: a quote, what the wallet is asked for, and how it goes. */
export function Page() {
  return (
    <PageFrame title={S.title} why={S.why}>
      <Content />
    </PageFrame>
  )
}

function Content() {
  const { data, failure } = chainsRead.reading.value
  if (failure?.code === 'not_configured') return <p class="panel inset">{S.off}</p>
  if (data === null && failure)
    return (
      <section class="panel" aria-label={S.title}>
        <ReadFailure read={chainsRead} />
      </section>
    )
  if (data === null) return <p class="empty">{M.lists.waiting}</p>
  return (
    <>
      {!reviewed.value && <Working />}
      <div class="halves">
        <SwapForm />
        <QuotePanel />
      </div>
      {sentSwaps.value.length > 0 && <SentSwaps />}
      {reviewed.value && <Review shown={reviewed.value} />}
    </>
  )
}
