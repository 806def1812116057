import { type InjectedWallet, wallets } from '../../../common/wallets.ts'
import { WALLET_STEP_TEXTS } from '../../messages/wallet-steps.ts'
import { leaveStep, step } from '../../money/flow.ts'
import { WaitCountdown } from '../parts/waiting.tsx'

/** The current step of a request to the wallet, or the reason why it stopped. */
export function Working() {
  const { value } = step
  if (value.at === 'working')
    return (
      <p class="notice" role="status">
        {value.waitUntilMs > 0 ? <WaitCountdown untilMs={value.waitUntilMs} /> : value.text}{' '}
        <button type="button" class="link" onClick={leaveStep}>
          {WALLET_STEP_TEXTS.stop}
        </button>
      </p>
    )
  if (value.at !== 'stopped') return null
  return (
    <p class="notice" role="alert">
      {value.text} {value.next}
    </p>
  )
}

type WalletProps = {
  readonly text: string
  readonly class?: string
  readonly isStill?: boolean
  readonly onPress: (wallet: InjectedWallet) => unknown
}

/** A button for each wallet of this browser. If there are several, each button names its wallet. */
export function WalletButtons({ text, class: look = 'primary', isStill, onPress }: WalletProps) {
  const { value: all } = wallets
  return all.map((wallet) => (
    <button
      key={wallet.id}
      type="button"
      class={look}
      disabled={isStill}
      onClick={() => void onPress(wallet)}
    >
      {all.length > 1 ? `${text} · ${wallet.name || WALLET_STEP_TEXTS.unnamed}` : text}
    </button>
  ))
}
