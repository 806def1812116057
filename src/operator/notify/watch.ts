import { NOTIFY_LIMITS, type Notice } from '../../contract/operator/notify.ts'
import { reportUnexpected } from '../../core/loop/guarded.ts'
import type { NoticeLeases } from '../../core/notice-leases.ts'
import type { Judge } from './judge.ts'

/** Open notices: when each condition began to hold, by name. */
type Open = Map<string, number>

/** When each condition began to hold, and for how long it has held without interruption, by name. */
type HoldingConditions = Map<string, { readonly sinceMs: number; readonly forMs: number }>

type WatchOptions = {
  readonly judge: Pick<Judge, 'look'>
  /** Why the server is not ready; null if it is ready. */
  readonly missing: () => string | null
  /** Open notices, including the notices of an earlier process. Each check updates the map. */
  readonly open: Open
  /** Leases that choose the notifying instance; null for a single instance. */
  readonly leases: NoticeLeases | null
}

type Verdict = ReturnType<Judge['look']>[number]

/** Maximum time that counts between two checks: a longer gap means that the clock was changed. */
const PASSED_MAX_MS = 2 * NOTIFY_LIMITS.lookEveryMs

/** Returns a function that evaluates all conditions and returns the notices that began or ended since its last call. */
export function createWatch(parts: WatchOptions): (nowMs: number) => Promise<readonly Notice[]> {
  const { judge, missing, open } = parts
  const holding: HoldingConditions = new Map()
  let lastMs: number | null = null
  let passedMs = 0

  /**
   * Whether this instance sends the notices of a condition. Only one of several instances sends the notices of a shared
   * condition.
   */
  async function notifies({ name, condition }: Verdict): Promise<boolean> {
    return !(condition.isShared && parts.leases) || (await parts.leases.take(name))
  }

  async function held(verdict: Verdict, nowMs: number): Promise<Notice[]> {
    const { name, condition } = verdict
    const { sinceMs, forMs } = noteHeld(holding, name, nowMs, passedMs)
    const isOpen = open.has(name)
    if (!isOpen && forMs < (condition.forMs ?? 0)) return []
    const isOurs = await notifies(verdict)
    // A condition without an end counts as reported when another instance sends its notice. A condition with an end
    // stays unreported here, so that this instance can take over later.
    if (isOurs || condition.over === null) open.set(name, open.get(name) ?? sinceMs)
    else open.delete(name)
    if (isOpen || !isOurs) return []
    return [begunNotice(verdict, sinceMs)]
  }

  function ended({ name, condition: { level, over }, isOver }: Verdict): Notice[] {
    holding.delete(name)
    if (!isOver) return []
    const sinceMs = open.get(name)
    open.delete(name)
    if (sinceMs === undefined || over === null) return []
    return [endedNotice(name, level, over, sinceMs)]
  }

  async function judged(verdict: Verdict, nowMs: number): Promise<Notice[]> {
    const { holds, condition } = verdict
    if (holds === null || condition.forMs === null) return []
    try {
      return holds ? await held(verdict, nowMs) : ended(verdict)
    } catch (error) {
      // Notices that were found before this error are already recorded as sent, so the caller must still get these
      // notices.
      reportUnexpected('process', error)
      return []
    }
  }

  return async (nowMs) => {
    passedMs = Math.min(Math.max(nowMs - (lastMs ?? nowMs), 0), PASSED_MAX_MS)
    lastMs = nowMs
    const found: Notice[] = []
    for (const verdict of judge.look(nowMs, missing()))
      found.push(...(await judged(verdict, nowMs)))
    return found
  }
}

/** Records that a condition still holds `passedMs` after the previous check. Returns its start and its duration. */
function noteHeld(holding: HoldingConditions, name: string, nowMs: number, passedMs: number) {
  const before = holding.get(name)
  const sinceMs = before?.sinceMs ?? nowMs
  const forMs = before ? before.forMs + passedMs : 0
  holding.set(name, { sinceMs, forMs })
  return { sinceMs, forMs }
}

function begunNotice({ name, condition, figure, command }: Verdict, sinceMs: number): Notice {
  const state = condition.over === null ? 'happened' : 'begun'
  const { level, title, action } = condition
  return { name, state, level, title, figure, action, command, sinceMs }
}

function endedNotice(name: string, level: Notice['level'], title: string, sinceMs: number): Notice {
  return { name, state: 'over', level, title, figure: '', action: '', command: '', sinceMs }
}
