import { readdirSync, readFileSync } from 'node:fs'
import { every, faultCount } from '../core/loop/guarded.ts'
import type { Meter } from '../core/observing/meter.ts'
import { PARTS } from '../spec/operator/parts.ts'

const LOOP_EVERY_MS = 500

/** Measures this process for the meter: memory, processor, descriptors and the event loop. Answers what stops it. */
export function readProcess(meter: Meter, startedAtMs: number): () => void {
  meter.reading('process_start_time_seconds', () => startedAtMs / 1000)
  // Reading it takes a file descriptor.
  meter.reading('process_resident_memory_bytes', () => orNull(process.memoryUsage.rss))
  for (const part of PARTS)
    meter.reading('prepd_unexpected_errors_total', () => faultCount(part), part)
  meter.reading('process_cpu_seconds_total', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  meter.reading('process_open_fds', () => orNull(() => readdirSync('/proc/self/fd').length))
  meter.reading('process_max_fds', () => orNull(descriptorsMax))
  return watchLoop(meter)
}

function watchLoop(meter: Meter): () => void {
  const delays = meter.histogram('prepd_event_loop_delay_seconds')
  let dueMs = meter.elapsedMs() + LOOP_EVERY_MS
  const timer = every('process', LOOP_EVERY_MS, () => {
    meter.tick()
    const nowMs = meter.coarseMs()
    delays.observe(Math.max(0, nowMs - dueMs) / 1000)
    dueMs = nowMs + LOOP_EVERY_MS
  })
  return () => clearInterval(timer)
}

/** The soft limit; null where it is unlimited. */
function descriptorsMax(): number | null {
  const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
  return soft === undefined ? null : Number(soft)
}

/** Null where the system does not tell. */
function orNull(read: () => number | null): number | null {
  try {
    return read()
  } catch {
    return null
  }
}
