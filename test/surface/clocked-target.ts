import {
  openInProcess,
  openTarget,
  type Target,
  type TargetKind,
  type TargetSettings,
} from '../target.ts'

/** prepd in this process, whose clock is moved by hand. */
export type ClockedTarget = Target & {
  readonly nowMs: () => number
  readonly advance: (ms: number) => void
}

/** Starts prepd at the present time, with the limits it has by itself but that of writes. */
export async function openClocked(settings: TargetSettings): Promise<ClockedTarget> {
  let nowMs = Date.now()
  const target = await openInProcess({ LIMIT_WRITE: 'off', ...settings }, { nowMs: () => nowMs })
  return {
    ...target,
    nowMs: () => nowMs,
    advance: (ms) => {
      nowMs += ms
    },
  }
}

/** Starts prepd; in this process its clock stands still, so that no kept answer ages while a test runs. */
export function openStill(kind: TargetKind, settings: TargetSettings): Promise<Target> {
  if (kind === 'in process') return openClocked({ LIMIT_READ: 'off', ...settings })
  return openTarget(kind, settings)
}
