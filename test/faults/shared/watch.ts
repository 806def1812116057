import { startControl } from '../storm/control.ts'
import { newSeen, type Seen } from './honest.ts'
import type { SharedPlace } from './place.ts'

/** Reads of honest accounts may take so many times as long as without the attack, and below this any time. */
const SLOWER_MAX = 3
const NOTICEABLE_MS = 10
/** A start belongs to the outage before it: reads are timed from then on. */
const WARM_UP_MS = 2000

/** The 99th percentiles of honest reads, and of how late a server is that does nothing: what the machine lacks. */
type Figures = { readonly p99Ms: number; readonly lateMs: number }

/** Watches what honest accounts see, one part of the time after another. */
export type Watch = Awaited<ReturnType<typeof startWatch>>

export async function startWatch(
  place: Pick<SharedPlace, 'scheduled'>,
  note: (line: string) => void,
) {
  const control = await startControl(() => performance.now())
  let seen = newSeen()
  const wrong: string[] = []

  /** Watches for so long; notes the figures and what was wrong. */
  async function pass(name: string, forMs: number): Promise<Figures> {
    seen = newSeen()
    await Bun.sleep(WARM_UP_MS)
    seen.readMs.length = 0
    const sinceMs = performance.now()
    const before = place.scheduled()
    await Bun.sleep(forMs)
    const { ranMs, waitedMs } = place.scheduled()
    const own = { ranMs: ranMs - before.ranMs, waitedMs: waitedMs - before.waitedMs }
    const late = control.controls.filter(({ atMs }) => atMs > sinceMs).map(({ lateMs }) => lateMs)
    const figures = { p99Ms: p99(seen.readMs), lateMs: p99(late) }
    note(`${name}: ${JSON.stringify({ ...seen.counts, ...rounded(figures), ...own })}`)
    wrong.push(...seen.wrong.map((line) => `${name}: ${line}`))
    for (const [kind, count] of Object.entries(seen.counts))
      if (count === 0) wrong.push(`${name}: no ${kind} were answered`)
    return figures
  }

  /** The same, where reads may not be much slower than they were in quiet. */
  async function passAttacked(name: string, forMs: number, quiet: Figures): Promise<void> {
    const { p99Ms, lateMs } = await pass(name, forMs)
    const mostMs = Math.max(SLOWER_MAX * quiet.p99Ms, NOTICEABLE_MS) + lateMs
    if (p99Ms > mostMs)
      wrong.push(`${name}: reads ${JSON.stringify(rounded({ p99Ms, lateMs, mostMs }))}`)
  }

  return { seen: (): Seen => seen, wrong, pass, passAttacked, stop: control.stop }
}

function rounded(figures: Readonly<Record<string, number>>) {
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, Math.round(value * 10) / 10]),
  )
}

function p99(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0
}
