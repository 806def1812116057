import { signal } from '@preact/signals'
import type { AuditedAct, ShownSetting } from '../../spec/console/figures.ts'
import { CONSOLE_LIMITS, type ConsoleAction } from '../../spec/console/limits.ts'
import { MINUTE_MS } from '../../spec/durations.ts'
import { fill } from '../common/format.ts'
import { M } from './messages.ts'
import { poll } from './state.ts'

/** The operator's key that the server accepted, in memory and nowhere else; '' before. */
export const operatorKey = signal('')

/** What the key or the last action was answered with. */
export const outcome = signal('')

/** What the server shows to the bearer of the key. */
export const settings = signal<readonly ShownSetting[]>([])
export const audit = signal<readonly AuditedAct[]>([])

/** Asks the server whether it accepts a key, and keeps one that it does for as long as the page is open. */
export async function enterKey(key: string): Promise<void> {
  try {
    const response = await fetch('/console/settings', bearing(key))
    const body = await response.json()
    if (response.ok) {
      operatorKey.value = key
      settings.value = body.settings
      outcome.value = M.act.accepted
      await readAudit()
    } else outcome.value = fill(M.act.refused, { error: errorOf(body) })
  } catch {
    outcome.value = M.offline
  }
}

/** Forgets the key, and what was shown to its bearer. */
export function forgetKey(): void {
  operatorKey.value = ''
  settings.value = []
  audit.value = []
  outcome.value = M.act.forgotten
}

/** Does one of the few things that can be done here. */
export async function act(action: ConsoleAction): Promise<void> {
  const search = action === 'advance-clock' ? `?ms=${MINUTE_MS}` : ''
  outcome.value = fill(M.act.underWay, { action: M.act[action] })
  try {
    const init = { method: 'POST', ...bearing(operatorKey.peek()) }
    const response = await fetch(`/console/act/${action}${search}`, init)
    outcome.value = response.ok
      ? fill(M.act.done, { action: M.act[action] })
      : fill(M.act.refused, { error: errorOf(await response.json()) })
    await readAudit()
  } catch {
    outcome.value = M.offline
  }
  await poll()
}

async function readAudit(): Promise<void> {
  const path = `/api/admin/audit?rows=${CONSOLE_LIMITS.auditMax}`
  const response = await fetch(path, bearing(operatorKey.peek()))
  if (response.ok) audit.value = (await response.json()).rows
}

function bearing(key: string) {
  return { headers: { authorization: `Bearer ${key}` } }
}

function errorOf(body: unknown): string {
  const error = typeof body === 'object' && body !== null ? Reflect.get(body, 'error') : ''
  return typeof error === 'string' ? error : ''
}
