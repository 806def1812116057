import { ONE } from '../../../../core/decimals.ts'
import { quotient } from '../../../../perp/amounts.ts'
import { ageText, filledTemplate, fixedText, percent } from '../../../common/format.ts'
import { Pairs } from '../../../common/pairs.tsx'
import { wallets } from '../../../common/wallets.ts'
import { session } from '../../account/session.ts'
import { second } from '../../feed/clock.ts'
import { SWAP_TEXTS } from '../../messages/swap.ts'
import { fromTokenUnits } from '../../money/chains.ts'
import { step } from '../../money/flow.ts'
import { isAmountSettled, quoteRead, swapChain, swapChoice } from '../../swap/choice.ts'
import {
  type Amount,
  type Cost,
  type Quote,
  tokenAmountText,
  toQuote,
  valueChange,
} from '../../swap/quote.ts'
import { reviewQuote } from '../../swap/swapping.ts'
import { NoAccount } from '../connect/frame.tsx'
import { WalletButtons } from '../money/working.tsx'
import { Panel } from '../parts/panel.tsx'
import { ReadFailure } from '../parts/reading.tsx'

const QUOTE_TEXTS = SWAP_TEXTS.quote

/** The quote for the form's swap, and the buttons that start the review. */
export function QuotePanel() {
  const { data, failure, atMs } = quoteRead.reading.value
  return (
    <Panel
      title={QUOTE_TEXTS.title}
      isBusy={swapChoice.value !== null && data === null && !failure}
    >
      <ReadFailure read={quoteRead} />
      {failure && QUOTE_TEXTS.reasons[failure.reason] && (
        <p class="warn">{QUOTE_TEXTS.reasons[failure.reason]}</p>
      )}
      {!swapChoice.value && <p class="quiet">{QUOTE_TEXTS.none}</p>}
      {swapChoice.value && data === null && !failure && <p class="quiet">{QUOTE_TEXTS.waiting}</p>}
      {swapChoice.value && data !== null && (
        <>
          <QuoteRows quote={toQuote(data)} />
          <p class="quiet">
            {filledTemplate(QUOTE_TEXTS.age, { age: ageText(second.value - atMs) })}{' '}
            <button type="button" class="link" onClick={quoteRead.refresh}>
              {QUOTE_TEXTS.renew}
            </button>
          </p>
        </>
      )}
      <ReviewButtons
        isReady={isAmountSettled.value && swapChoice.value !== null && data !== null}
      />
    </Panel>
  )
}

/** The figures of a quote. */
export function QuoteRows({ quote }: { readonly quote: Quote }) {
  const change = valueChange(quote)
  const { give, receive, least } = quote
  const isBad = change !== null && change < MUCH_LESS
  return (
    <>
      <Pairs
        rows={[
          [SWAP_TEXTS.give, withValue(give, Infinity)],
          [QUOTE_TEXTS.about, withValue(receive)],
          [QUOTE_TEXTS.least, at(least)],
          [QUOTE_TEXTS.rate, rateText(quote)],
          [QUOTE_TEXTS.change, change === null ? SWAP_TEXTS.unknown : percent(change)],
          ...quote.fees.map((fee): Row => [QUOTE_TEXTS.fees[fee.type] ?? fee.type, feeText(fee)]),
          ...quote.gas.map((gas): Row => [QUOTE_TEXTS.gas[gas.type] ?? gas.type, costText(gas)]),
          [QUOTE_TEXTS.takes, ageText(1000 * quote.seconds)],
          [QUOTE_TEXTS.route, quote.steps.map(stepText).join(' → ')],
        ]}
      />
      {isBad && <p class="warn">{QUOTE_TEXTS.changeWarn}</p>}
    </>
  )
}

type Row = readonly [string, string]

/** The change in value from which the page warns: a loss of 5%. */
const MUCH_LESS = -ONE / 20n

function at(amount: Amount): string {
  return filledTemplate(SWAP_TEXTS.onChain, {
    amount: tokenAmountText(amount),
    chain: swapChain(amount.token.chainId).name,
  })
}

function withValue(amount: Amount, figures?: number): string {
  const text = tokenAmountText(amount, figures)
  const chain = swapChain(amount.token.chainId).name
  const value = amount.usd === null ? '' : ` (${usd(amount.usd)})`
  return filledTemplate(SWAP_TEXTS.onChain, { amount: text, chain }) + value
}

function usd(value: bigint): string {
  return filledTemplate(SWAP_TEXTS.usd, { amount: fixedText(value, 2) })
}

function rateText({ give, receive }: Quote): string {
  const [gives, brings] = [give, receive].map(({ units, token }) =>
    fromTokenUnits(units, token.decimals),
  )
  const rate = quotient(brings ?? 0n, gives ?? 0n)
  const [from, to] = [give.token.symbol, receive.token.symbol]
  if (rate >= ONE) return `1 ${from} = ${fixedText(rate, 4)} ${to}`
  return `1 ${to} = ${fixedText(quotient(gives ?? 0n, brings ?? 0n), 4)} ${from}`
}

function feeText(fee: Cost): string {
  return filledTemplate(fee.isIncluded ? QUOTE_TEXTS.included : QUOTE_TEXTS.extra, {
    amount: costText(fee),
  })
}

function costText({ amount }: Cost): string {
  if (!amount) return SWAP_TEXTS.unknown
  return tokenAmountText(amount) + (amount.usd === null ? '' : ` (${usd(amount.usd)})`)
}

function stepText({ type, from, to }: Quote['steps'][number]): string {
  const name = (token: typeof from) =>
    type === 'bridge' ? `${token.symbol} (${swapChain(token.chainId).name})` : token.symbol
  return filledTemplate(QUOTE_TEXTS.steps[type] ?? '', { from: name(from), to: name(to) })
}

/**
 * The buttons that start the review, one per wallet of this browser. In a browser without a wallet, one button for the
 * account's own address, which suffices for a simulated swap.
 */
function ReviewButtons({ isReady }: { readonly isReady: boolean }) {
  const isStill = !isReady || step.value.at === 'working'
  const hasWallet = wallets.value.length > 0
  if (!hasWallet && !session.value) return <NoAccount text={SWAP_TEXTS.nobody} />
  return (
    <p class="row">
      <WalletButtons text={SWAP_TEXTS.review} isStill={isStill} onPress={reviewQuote} />
      {!hasWallet && (
        <button
          type="button"
          class="primary"
          disabled={isStill}
          onClick={() => void reviewQuote(null)}
        >
          {SWAP_TEXTS.review}
        </button>
      )}
    </p>
  )
}
