import { signal } from '@preact/signals'
import type { ApprovalAnswer } from '../../contract/approval.ts'
import { ApiFailure, createApi } from '../common/api.ts'
import { type Exact, memberRows, memberText } from '../common/exact-json.ts'
import { nowMs } from '../common/world.ts'

/** The write that the owner decides about; unknown values are empty. */
export type Shown = Pick<
  ApprovalAnswer,
  'id' | 'accountId' | 'method' | 'path' | 'body' | 'order' | 'decideUntilMs'
> & {
  readonly state: string
  /** Empty if the service does not know the key. */
  readonly key: string
  /** Empty if the program did not send its name. */
  readonly program: string
  readonly effects: readonly string[]
  readonly costUsdc: string
  readonly worstUsdc: string
  readonly useUntilMs: number
  /** How far the service's clock is ahead of this device's clock. */
  readonly aheadMs: number
}

export const shown = signal<Shown | null>(null)

/** The reason why the write is not shown; null while it is shown. */
export const missingReason = signal<'loading' | 'offline' | 'unknown' | null>('loading')

/** The service's time, updated every second. */
export const serviceMs = signal(0)

export const approvalApi = createApi({
  fetch: (path, init) => fetch(path, init),
  onResponse: () => undefined,
})

const LOOK_EVERY_MS = 2000
const SECOND_MS = 1000

/** The id in the address of this page. */
const ID = location.pathname.slice(location.pathname.lastIndexOf('/') + 1)

/** Polls the write while the page is visible. A read decides nothing about the write. */
export function startLooking(): void {
  const look = () => {
    if (document.visibilityState === 'visible') void refresh()
  }
  setInterval(look, LOOK_EVERY_MS)
  setInterval(tick, SECOND_MS)
  document.addEventListener('visibilitychange', look)
  void refresh()
}

function tick(): void {
  serviceMs.value = nowMs() + (shown.peek()?.aheadMs ?? 0)
}

async function refresh(): Promise<void> {
  try {
    showAnswer(await approvalApi.get(`/api/prep/approval?id=${ID}`))
  } catch (error) {
    const isGone = error instanceof ApiFailure && UNKNOWN.has(error.code)
    missingReason.value = isGone ? 'unknown' : 'offline'
  }
}

const UNKNOWN: ReadonlySet<string> = new Set(['not_found', 'invalid_request'])

/** Shows an answer of the service. */
export function showAnswer(answer: Exact): void {
  const text = (name: string) => memberText(answer, name)
  shown.value = {
    ...{ id: text('id'), state: text('state'), accountId: text('accountId') },
    ...{ method: text('method'), path: text('path'), body: text('body') },
    order: memberRows(answer, 'order').map(String),
    effects: memberRows(answer, 'effects').map(String),
    ...{ key: text('key'), program: text('program') },
    ...{ costUsdc: text('costUsdc'), worstUsdc: text('worstUsdc') },
    decideUntilMs: Number(text('decideUntilMs')),
    useUntilMs: Number(text('useUntilMs')),
    aheadMs: Number(text('nowMs')) - nowMs(),
  }
  missingReason.value = null
  tick()
}
