import { signal } from '@preact/signals'
import {
  CONSOLE_LIMITS,
  type ConsoleAction,
  type ConsoleFigures,
  type Sample,
} from '../../spec/console/figures.ts'
import { MINUTE_MS } from '../../spec/durations.ts'
import { fill } from '../common/format.ts'
import { M } from './messages.ts'

/** The last figures; null before the first. */
export const figures = signal<ConsoleFigures | null>(null)

/** The samples of the last hour. */
export const samples = signal<readonly Sample[]>([])

export const isOffline = signal(false)

/** The operator's key, in memory and nowhere else. */
export const operatorKey = signal('')

/** What the last action answered. */
export const outcome = signal('')

/** Asks every two seconds while the page is looked at. */
export function startPolling(): void {
  const pollIfVisible = () => {
    if (document.visibilityState === 'visible') void poll()
  }
  setInterval(pollIfVisible, CONSOLE_LIMITS.pollEveryMs)
  document.addEventListener('visibilitychange', pollIfVisible)
  pollIfVisible()
}

async function poll(): Promise<void> {
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

/** Does one of the few things that can be done here. */
export async function act(action: ConsoleAction): Promise<void> {
  const search = action === 'advance-clock' ? `?ms=${MINUTE_MS}` : ''
  try {
    const response = await fetch(`/console/act/${action}${search}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operatorKey.peek()}` },
    })
    outcome.value = response.ok
      ? fill(M.act.done, { action: M.act[action] })
      : fill(M.act.refused, { error: errorOf(await response.json()) })
  } catch {
    outcome.value = M.offline
  }
  await poll()
}

function errorOf(body: unknown): string {
  const error = typeof body === 'object' && body !== null ? Reflect.get(body, 'error') : ''
  return typeof error === 'string' ? error : ''
}
