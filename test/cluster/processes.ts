import { readdirSync, readFileSync } from 'node:fs'

/** The processes that a process has started. */
export function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => statOf(pid)?.parent === parent)
}

/** Whether a process does anything still. */
export function isAlive(pid: number): boolean {
  const stat = statOf(pid)
  return stat !== null && stat.state !== 'Z'
}

function statOf(pid: number): { readonly state: string; readonly parent: number } | null {
  const text = tried(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  const [state = '', parent = ''] = text?.slice(text.lastIndexOf(')') + 2).split(' ') ?? []
  return text === null ? null : { state, parent: Number(parent) }
}

/** What a look answers; null where it throws. */
export function tried<Value>(work: () => Value): Value | null {
  try {
    return work()
  } catch {
    return null
  }
}

/** Whether a question is answered. */
export async function answers(ask: () => Promise<unknown>): Promise<boolean> {
  return ask().then(
    () => true,
    () => false,
  )
}

/** Far more than a busy machine needs, and less than a test has: the failure names the wait, not the test. */
const WAIT_MAX_MS = 120_000

/** Waits for a condition. Throws if it is not met within two minutes. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  const startedMs = performance.now()
  while (!(await isSo())) {
    if (performance.now() - startedMs > WAIT_MAX_MS) throw new Error('not so within two minutes')
    await Bun.sleep(10)
  }
}
