import { vi } from 'bun:test'

/** Lets everything run that waits for promises alone; fake timers stand still. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve()
}

/** Moves the fake timers, and lets everything run that waited for them. */
export async function pass(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms)
  await settled()
}
