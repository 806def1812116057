import { second } from '../../feed/clock.ts'
import { WALLET_STEP_TEXTS } from '../../messages/wallet-steps.ts'

/** Shows a countdown while the server asks to wait. A screen reader reads it only once. */
export function WaitCountdown({ untilMs }: { readonly untilMs: number }) {
  const seconds = Math.max(1, Math.floor((untilMs - second.value) / 1000))
  return (
    <>
      {WALLET_STEP_TEXTS.waiting} <span role="timer">{seconds} s</span>.
    </>
  )
}
