import { ONE } from '../../../../core/decimals.ts'
import { divided } from '../../../../perp/amounts.ts'
import { age, fill, fixed, percent } from '../../../common/format.ts'
import { Pairs } from '../../../common/pairs.tsx'
import { wallets } from '../../../common/wallets.ts'
import { session } from '../../account/session.ts'
import { second } from '../../feed/clock.ts'
import { S } from '../../messages/swap.ts'
import { amountOfUnits } from '../../money/chains.ts'
import { step } from '../../money/flow.ts'
import { chainOf, isSettled, order, quoteRead } from '../../swap/choice.ts'
import {
  type Amount,
  amountText,
  type Cost,
  changeOf,
  type Quote,
  quoteOf,
} from '../../swap/quote.ts'
import { review } from '../../swap/swapping.ts'
import { Nobody } from '../connect/frame.tsx'
import { WalletButtons } from '../money/working.tsx'
import { Panel } from '../parts/panel.tsx'
import { ReadFailure } from '../parts/reading.tsx'

const Q = S.quote

/** The result of the form's order, and the way to the wallet. */
export function QuotePanel() {
  const { data, failure, atMs } = quoteRead.reading.value
  return (
    <Panel title={Q.title} isBusy={order.value !== null && data === null && !failure}>
      <ReadFailure read={quoteRead} />
      {failure && Q.reasons[failure.reason] && <p class="warn">{Q.reasons[failure.reason]}</p>}
      {!order.value && <p class="quiet">{Q.none}</p>}
      {order.value && data === null && !failure && <p class="quiet">{Q.waiting}</p>}
      {order.value && data !== null && (
        <>
          <QuoteRows quote={quoteOf(data)} />
          <p class="quiet">
            {fill(Q.age, { age: age(second.value - atMs) })}{' '}
            <button type="button" class="link" onClick={quoteRead.refresh}>
              {Q.renew}
            </button>
          </p>
        </>
      )}
      <ReviewButtons isReady={isSettled.value && order.value !== null && data !== null} />
    </Panel>
  )
}

/** The figures of a quote. */
export function QuoteRows({ quote }: { readonly quote: Quote }) {
  const change = changeOf(quote)
  const { give, receive, least } = quote
  const isBad = change !== null && change < MUCH_LESS
  return (
    <>
      <Pairs
        rows={[
          [S.give, withValue(give, Infinity)],
          [Q.about, withValue(receive)],
          [Q.least, at(least)],
          [Q.rate, rateText(quote)],
          [Q.change, change === null ? S.unknown : percent(change)],
          ...quote.fees.map((fee): Row => [Q.fees[fee.type] ?? fee.type, feeText(fee)]),
          ...quote.gas.map((gas): Row => [Q.gas[gas.type] ?? gas.type, costText(gas)]),
          [Q.takes, age(1000 * quote.seconds)],
          [Q.route, quote.steps.map(stepText).join(' → ')],
        ]}
      />
      {isBad && <p class="warn">{Q.changeWarn}</p>}
    </>
  )
}

type Row = readonly [string, string]

/** The loss from which the page warns: a twentieth. */
const MUCH_LESS = -ONE / 20n

function at(amount: Amount): string {
  return fill(S.onChain, { amount: amountText(amount), chain: chainOf(amount.token.chainId).name })
}

function withValue(amount: Amount, figures?: number): string {
  const text = amountText(amount, figures)
  const chain = chainOf(amount.token.chainId).name
  const value = amount.usd === null ? '' : ` (${usd(amount.usd)})`
  return fill(S.onChain, { amount: text, chain }) + value
}

function usd(value: bigint): string {
  return fill(S.usd, { amount: fixed(value, 2) })
}

function rateText({ give, receive }: Quote): string {
  const [gives, brings] = [give, receive].map(({ units, token }) =>
    amountOfUnits(units, token.decimals),
  )
  const rate = divided(brings ?? 0n, gives ?? 0n)
  const [from, to] = [give.token.symbol, receive.token.symbol]
  if (rate >= ONE) return `1 ${from} = ${fixed(rate, 4)} ${to}`
  return `1 ${to} = ${fixed(divided(gives ?? 0n, brings ?? 0n), 4)} ${from}`
}

function feeText(fee: Cost): string {
  return fill(fee.isIncluded ? Q.included : Q.extra, { amount: costText(fee) })
}

function costText({ amount }: Cost): string {
  if (!amount) return S.unknown
  return amountText(amount) + (amount.usd === null ? '' : ` (${usd(amount.usd)})`)
}

function stepText({ type, from, to }: Quote['steps'][number]): string {
  const name = (token: typeof from) =>
    type === 'bridge' ? `${token.symbol} (${chainOf(token.chainId).name})` : token.symbol
  return fill(Q.steps[type] ?? '', { from: name(from), to: name(to) })
}

/** The wallets of this browser; without any, the account's own wallet, which suffices for a simulated swap. */
function ReviewButtons({ isReady }: { readonly isReady: boolean }) {
  const isStill = !isReady || step.value.at === 'working'
  const hasWallet = wallets.value.length > 0
  if (!hasWallet && !session.value) return <Nobody text={S.nobody} />
  return (
    <p class="row">
      <WalletButtons text={S.review} isStill={isStill} onPress={review} />
      {!hasWallet && (
        <button type="button" class="primary" disabled={isStill} onClick={() => void review(null)}>
          {S.review}
        </button>
      )}
    </p>
  )
}
