import { isWithinSlippage } from '../../../../contract/swap.ts'
import { fill } from '../../../common/format.ts'
import { Pairs } from '../../../common/pairs.tsx'
import { second } from '../../feed/clock.ts'
import { S } from '../../messages/swap.ts'
import { leaveStep, step } from '../../money/flow.ts'
import { swapChain } from '../../swap/choice.ts'
import { type Quote, tokenAmountText } from '../../swap/quote.ts'
import { type Reviewed, renew, reviewed, sendSwap } from '../../swap/swapping.ts'
import { Working } from '../money/working.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { QuoteRows } from './quote.tsx'

const D = S.document

/** The dialog that describes the transactions for the wallet to send, and asks whether to send them. */
export function Review({ shown }: Props) {
  const { order, quote } = shown
  const isSound = isWithinSlippage(order.slippageBps, quote.receive.units, quote.least.units)
  return (
    <Dialog title={D.title} onClose={close}>
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
      <Pairs rows={[[D.wallet, address], held !== null && [D.held, heldText(quote, held)]]} />
      <p class="quiet">{D.checked}</p>
      {isSimulated && <p class="notice">{D.simulated}</p>}
      {isRenewed && (
        <p class="notice" role="status">
          {D.renewed}
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
        {fill(D.short, { about, least, slippage: order.slippageBps / 100 })}
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
  reviewed.value = null
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
    approval ? fill(D.approve, { spender: approval.spender, amount }) : D.approved,
    fill(D.swap, {
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
        {fill(D.much, { held: heldText(quote, held) })}
      </p>
    )
  if (!isSimulated && !wallet) return <p class="notice">{D.noWallet}</p>
  return (
    <>
      <p class="quiet" role="timer">
        {leftSeconds > 0 ? fill(D.expires, { seconds: leftSeconds }) : D.expired}
      </p>
      <p class="row">
        {leftSeconds > 0 ? (
          <button
            type="button"
            class="primary"
            disabled={isWorking}
            onClick={() => void sendSwap()}
          >
            {isSimulated ? D.simulate : D.send}
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
    <button type="button" class="primary" disabled={isWorking} onClick={() => void renew()}>
      {D.renew}
    </button>
  )
}
