import { closeSync, openSync, readdirSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PROCESS_PARTS } from '../contract/operator/process.ts'
import { setReserveRelease } from '../core/loop/descriptor-reserve.ts'
import { faultCount, reportUnexpected } from '../core/loop/guarded.ts'
import { repeatWhileInUse } from '../core/loop/idle-timers.ts'
import type { Meter } from '../core/observing/meter.ts'
import type { Log } from '../core/ports.ts'
import { shortened } from '../http/server/access.ts'

const LOOP_EVERY_MS = 500

/** Watches this process's file descriptors. */
export type ProcessWatch = {
  /** Whether only reserved file descriptors are left. New connections then have to wait. */
  readonly isShortOfDescriptors: () => boolean
  readonly stop: () => void
}

/** Measures this process for the meter: memory, processor, descriptors and the event loop. */
export function readProcess(meter: Meter, log: Log, startedAtMs: number): ProcessWatch {
  meter.reading('process_start_time_seconds', () => startedAtMs / 1000)
  // Null if the read fails. It needs a file descriptor, and all descriptors may be in use.
  meter.reading('process_resident_memory_bytes', () => orNull(process.memoryUsage.rss))
  for (const part of PROCESS_PARTS)
    meter.reading('prepd_unexpected_errors_total', () => faultCount(part), part)
  meter.reading('process_cpu_seconds_total', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  })
  meter.reading('process_open_fds', () => orNull(() => readdirSync('/proc/self/fd').length))
  meter.reading('process_max_fds', () => orNull(descriptorsMax))
  const stopWatching = watchLoop(meter)
  const { isShort, stop } = keepReserve(meter, log)
  return {
    isShortOfDescriptors: isShort,
    stop: () => {
      stopWatching()
      stop()
    },
  }
}

/** `forOneConnection`: a connection to a named host needs one descriptor, and more for the name lookup. */
const RESERVE = { descriptors: 16, forOneConnection: 3, lookEveryMs: 250 } as const

/**
 * Reserves descriptors. A vital connection takes a reserved descriptor when all others are in use. Refills the reserve
 * as soon as possible. Logs when descriptors run out and when they are available again.
 */
function keepReserve(meter: Meter, log: Log) {
  const shortages = meter.counter('prepd_descriptor_shortages_total')
  const spare: number[] = []
  let shortSinceMs: number | null = null

  function isFree(): boolean {
    const opened = orNull(() => openSync('/dev/null', 'r'))
    if (opened === null) return false
    spare.push(opened)
    return true
  }

  function giveUp(count: number): void {
    for (const descriptor of spare.splice(0, count)) closeSync(descriptor)
  }

  function ranOut(): void {
    if (shortSinceMs !== null) return
    shortSinceMs = meter.elapsedMs()
    shortages.add()
    giveUp(1)
    log.error('descriptors_exhausted', { max: orNull(descriptorsMax), ...busiestPeer() })
  }

  function look(): void {
    // Opens one more than the reserve, to test whether another descriptor is free.
    while (spare.length <= RESERVE.descriptors && isFree());
    if (spare.length <= RESERVE.descriptors) {
      ranOut()
      return
    }
    giveUp(1)
    if (shortSinceMs === null) return
    log.info('descriptors_freed', { shortMs: Math.round(meter.elapsedMs() - shortSinceMs) })
    shortSinceMs = null
  }

  if (!isFree()) return { isShort: () => false, stop: () => undefined }
  look()
  const stopLooking = repeatWhileInUse('process', RESERVE.lookEveryMs, look)
  const unset = setReserveRelease(() => {
    if (isFree()) giveUp(1)
    else {
      ranOut()
      giveUp(RESERVE.forOneConnection)
    }
  })
  return {
    isShort: () => {
      look()
      return shortSinceMs !== null
    },
    stop: () => {
      stopLooking()
      unset()
      giveUp(spare.length)
    },
  }
}

/**
 * The network with the most connections to and from this machine, and the number of these connections. Empty if the
 * system reports no connections.
 */
function busiestPeer(): { readonly peer?: string; readonly connections?: number } {
  const rows = ['tcp', 'tcp6'].flatMap(
    (name) => orNull(() => readFileSync(`/proc/self/net/${name}`, 'utf8'))?.split('\n') ?? [],
  )
  const counts = new Map<string, number>()
  for (const row of rows) {
    const [, , remote, state] = row.trim().split(/\s+/)
    if (state !== ESTABLISHED || remote === undefined) continue
    const peer = shortened(kernelAddress(remote.split(':')[0] ?? ''))
    counts.set(peer, (counts.get(peer) ?? 0) + 1)
  }
  const [busiest] = [...counts].sort(([, a], [, b]) => b - a)
  return busiest ? { peer: busiest[0], connections: busiest[1] } : {}
}

const ESTABLISHED = '01'

/** Parses an address in the kernel's tables: 4-byte groups in the machine's byte order. */
function kernelAddress(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) =>
    (word.match(/../g) ?? []).toReversed().map((byte) => Number.parseInt(byte, 16)),
  )
  const isV4 = bytes.length === 4 || /^0{16}0000FFFF/i.test(hex) || /^0{16}FFFF0000/i.test(hex)
  if (isV4) return bytes.slice(-4).join('.')
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0)).toString(16),
  )
  return groups.join(':')
}

function watchLoop(meter: Meter): () => void {
  const delays = meter.histogram('prepd_event_loop_delay_seconds')
  let dueMs = meter.elapsedMs() + LOOP_EVERY_MS
  return repeatWhileInUse('process', LOOP_EVERY_MS, (nextMs) => {
    meter.tick()
    const nowMs = meter.coarseMs()
    delays.observe(Math.max(0, nowMs - dueMs) / 1000)
    dueMs = nowMs + nextMs
  })
}

/** The soft limit of descriptors; null if unlimited. */
function descriptorsMax(): number | null {
  const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
  return soft === undefined ? null : Number(soft)
}

/** Runs a read; null if the system does not provide the value. */
function orNull<Value>(read: () => Value): Value | null {
  try {
    return read()
  } catch (error) {
    reportUnexpected('process', error, 'system')
    return null
  }
}

/** Free bytes for unprivileged users on the disk of a path; null if unknown. */
export function freeBytes(path: string): number | null {
  return orNull(() => {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  })
}

/** The modification time of a mark file in a data directory, in seconds since the epoch: 0 without a file, null if unknown. */
export function markSeconds(dataDir: string, name: string): number | null {
  return orNull(() => {
    const mark = statSync(join(dataDir, name), { throwIfNoEntry: false })
    return (mark?.mtimeMs ?? 0) / 1000
  })
}
