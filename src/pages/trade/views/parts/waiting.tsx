import { second } from '../../feed/clock.ts'
import { G } from '../../messages/working.ts'

/** Shows a countdown while the server asks to wait. A screen reader reads it only once. */
export function WaitCountdown({ untilMs }: { readonly untilMs: number }) {
  const seconds = Math.max(1, Math.floor((untilMs - second.value) / 1000))
  return (
    <>
      {G.waiting} <span role="timer">{seconds} s</span>.
    </>
  )
}
