import { signal } from '@preact/signals'
import { CONSOLE_LIMITS, type ConsoleFigures, type Sample } from '../../spec/console/figures.ts'

/** The last figures; null before the first. */
export const figures = signal<ConsoleFigures | null>(null)

/** The samples of the last hour. */
export const samples = signal<readonly Sample[]>([])

export const isOffline = signal(false)

/** Asks every two seconds while the page is looked at. */
export function startPolling(): void {
  const pollIfVisible = () => {
    if (document.visibilityState === 'visible') void poll()
  }
  setInterval(pollIfVisible, CONSOLE_LIMITS.pollEveryMs)
  document.addEventListener('visibilitychange', pollIfVisible)
  pollIfVisible()
}

/** Asks for the figures now. */
export async function poll(): Promise<void> {
  try {
    const since = samples.peek().at(-1)?.[0] ?? 0
    const response = await fetch(`/console/figures?since=${since}`, {
      signal: AbortSignal.timeout(10 * CONSOLE_LIMITS.pollEveryMs),
    })
    const found: ConsoleFigures = await response.json()
    take(found)
    isOffline.value = false
  } catch {
    isOffline.value = true
  }
}

function take(found: ConsoleFigures): void {
  // Another start of the server: its hour is another one.
  const isNew = (figures.peek()?.uptimeSeconds ?? 0) > found.uptimeSeconds
  const known = isNew ? [] : samples.peek()
  const last = known.at(-1)?.[0] ?? 0
  const added = found.samples.filter(([atMs]) => atMs > last)
  if (added.length > 0) samples.value = [...known, ...added].slice(-CONSOLE_LIMITS.samplesMax)
  figures.value = found
}
