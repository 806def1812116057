import { signal } from '@preact/signals'
import type {
  ConsoleFigures,
  ConsoleTraffic,
  Minute,
  Sample,
} from '../../contract/console/figures.ts'
import { CONSOLE_LIMITS } from '../../contract/console/limits.ts'
import { MINUTE_MS } from '../../contract/durations.ts'

/** The last figures; null before the first. */
export const figures = signal<ConsoleFigures | null>(null)

/** The samples of the last hour. */
export const samples = signal<readonly Sample[]>([])

/** The stored minutes of the last day. */
export const minutes = signal<readonly Minute[]>([])

export const isOffline = signal(false)

/** Polls every two seconds while the page is visible. */
export function startPolling(): void {
  const pollIfVisible = () => {
    if (document.visibilityState === 'visible') void poll()
  }
  setInterval(pollIfVisible, CONSOLE_LIMITS.pollEveryMs)
  setInterval(() => void pollTraffic(), MINUTE_MS / 2)
  void pollTraffic()
  document.addEventListener('visibilitychange', pollIfVisible)
  pollIfVisible()
}

/** Requests the figures now. */
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

async function pollTraffic(): Promise<void> {
  try {
    const known = minutes.peek()
    const since = known.at(-1)?.[0] ?? 0
    const response = await fetch(`/console/traffic?since=${since}`)
    if (!response.ok) return
    const found: ConsoleTraffic = await response.json()
    const last = found.minutes.at(-1)
    if (!last) return
    const sinceMs = last[0] - CONSOLE_LIMITS.trafficKeptMs
    minutes.value = [...known, ...found.minutes].filter(([untilMs]) => untilMs > sinceMs)
  } catch {
    // Ignores the error, because the poll of the figures already reports that the server is offline.
  }
}

function take(found: ConsoleFigures): void {
  // Samples from before a restart of the server are dropped.
  const isNew = (figures.peek()?.uptimeSeconds ?? 0) > found.uptimeSeconds
  const known = isNew ? [] : samples.peek()
  const last = known.at(-1)?.[0] ?? 0
  const added = found.samples.filter(([atMs]) => atMs > last)
  if (added.length > 0) samples.value = [...known, ...added].slice(-CONSOLE_LIMITS.samplesMax)
  figures.value = found
}
