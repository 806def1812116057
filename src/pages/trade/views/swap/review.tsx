import { isWithinSlippage } from '../../../../contract/swap.ts'
import { filledTemplate } from '../../../common/format.ts'
import { Pairs } from '../../../common/pairs.tsx'
import { second } from '../../feed/clock.ts'
import { SWAP_TEXTS } from '../../messages/swap.ts'
import { leaveStep, step } from '../../money/flow.ts'
import { swapChain } from '../../swap/choice.ts'
import { type Quote, tokenAmountText } from '../../swap/quote.ts'
import { type Reviewed, renewQuote, reviewedQuote, sendSwap } from '../../swap/swapping.ts'
import { Working } from '../money/working.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { QuoteRows } from './quote.tsx'

const DOCUMENT_TEXTS = SWAP_TEXTS.document

/** The dialog that describes the transactions of a swap and asks whether the wallet shall send them. */
export function Review({ shown }: Props) {
  const { order, quote } = shown
  const isSound = isWithinSlippage(order.slippageBps, quote.receive.units, quote.least.units)
  return (
    <Dialog title={DOCUMENT_TEXTS.title} onClose={close}>
      <QuoteRows quote={quote} />
      {isSound ? <Asked shown={shown} /> : <Refused shown={shown} />}
    </Dialog>
  )
}

type Props = { readonly shown: Reviewed }

function Asked({ shown }: Props) {
  const { quote, address, held, isSimulated, isRenewed } = shown
  return (
    <>
      {signed(quote).map((text) => (
        <p key={text}>{text}</p>
      ))}
      <Pairs
        rows={[
          [DOCUMENT_TEXTS.wallet, address],
          held !== null && [DOCUMENT_TEXTS.held, heldText(quote, held)],
        ]}
      />
      <p class="quiet">{DOCUMENT_TEXTS.checked}</p>
      {isSimulated && <p class="notice">{DOCUMENT_TEXTS.simulated}</p>}
      {isRenewed && (
        <p class="notice" role="status">
          {DOCUMENT_TEXTS.renewed}
        </p>
      )}
      <Working />
      <Send shown={shown} />
    </>
  )
}

/** The refusal of a quote that guarantees less than the slippage allows; it is never offered to the wallet. */
function Refused({ shown: { order, quote } }: Props) {
  const [about, least] = [tokenAmountText(quote.receive), tokenAmountText(quote.least)]
  return (
    <>
      <p class="warn" role="alert">
        {filledTemplate(DOCUMENT_TEXTS.short, { about, least, slippage: order.slippageBps / 100 })}
      </p>
      <Working />
      <p class="row">
        <Renew />
      </p>
    </>
  )
}

function close(): void {
  leaveStep()
  reviewedQuote.value = null
}

/** The texts of the requests to the wallet, one per request. */
function signed({ approval, transaction, give, least }: Quote): readonly string[] {
  if (!transaction) return []
  const { name, nativeSymbol } = swapChain(transaction.chainId)
  const amount = tokenAmountText(give, Infinity)
  const coins = {
    units: transaction.value,
    token: { ...give.token, ...COIN, symbol: nativeSymbol },
  }
  return [
    approval
      ? filledTemplate(DOCUMENT_TEXTS.approve, { spender: approval.spender, amount })
      : DOCUMENT_TEXTS.approved,
    filledTemplate(DOCUMENT_TEXTS.swap, {
      ...{ to: transaction.to, chain: name, amount, least: tokenAmountText(least) },
      value: tokenAmountText(coins, Infinity),
    }),
  ]
}

/** Every supported chain's native coin has eighteen decimals. */
const COIN = { decimals: 18 } as const

function heldText({ give }: Quote, held: bigint): string {
  return tokenAmountText({ units: held, token: give.token })
}

function Send({ shown }: Props) {
  const { quote, endsAtMs, wallet, held, isSimulated } = shown
  const leftSeconds = Math.ceil((endsAtMs - second.value) / 1000)
  const isWorking = step.value.at === 'working'
  if (held !== null && held < quote.give.units)
    return (
      <p class="warn" role="alert">
        {filledTemplate(DOCUMENT_TEXTS.much, { held: heldText(quote, held) })}
      </p>
    )
  if (!isSimulated && !wallet) return <p class="notice">{DOCUMENT_TEXTS.noWallet}</p>
  return (
    <>
      <p class="quiet" role="timer">
        {leftSeconds > 0
          ? filledTemplate(DOCUMENT_TEXTS.expires, { seconds: leftSeconds })
          : DOCUMENT_TEXTS.expired}
      </p>
      <p class="row">
        {leftSeconds > 0 ? (
          <button
            type="button"
            class="primary"
            disabled={isWorking}
            onClick={() => void sendSwap()}
          >
            {isSimulated ? DOCUMENT_TEXTS.simulate : DOCUMENT_TEXTS.send}
          </button>
        ) : (
          <Renew />
        )}
      </p>
    </>
  )
}

function Renew() {
  const isWorking = step.value.at === 'working'
  return (
    <button type="button" class="primary" disabled={isWorking} onClick={() => void renewQuote()}>
      {DOCUMENT_TEXTS.renew}
    </button>
  )
}
