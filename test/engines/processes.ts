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

/** Waits for a condition. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await Bun.sleep(10)
}
