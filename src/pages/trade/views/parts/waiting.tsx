import { second } from '../../feed/clock.ts'
import { G } from '../../messages/working.ts'

/** Shows that the server asks to wait, with a countdown. A screen reader reads it once. */
export function WaitCountdown({ untilMs }: { readonly untilMs: number }) {
  const seconds = Math.max(1, Math.floor((untilMs - second.value) / 1000))
  return (
    <>
      {G.waiting} <span role="timer">{seconds} s</span>.
    </>
  )
}
