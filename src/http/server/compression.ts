import type { Clock } from '../../core/ports.ts'

/** Shorter messages gain less than they cost. */
const MIN_BYTES = 512

/** What is compressed in a second at most: about 25 ms of work. */
const BYTES_PER_SECOND = 1024 * 1024

const PERIOD_MS = 1000

/** Decides whether a message of so many characters to so many sockets is compressed. */
export type Compression = (chars: number, sockets: number) => boolean

/** Compresses long messages within a budget of each second; beyond it they are sent as they are. */
export function createCompression(clock: Clock): Compression {
  let periodFromMs = 0
  let left = BYTES_PER_SECOND
  return (chars, sockets) => {
    if (chars < MIN_BYTES || sockets === 0) return false
    const nowMs = clock.nowMs()
    if (Math.abs(nowMs - periodFromMs) >= PERIOD_MS) {
      periodFromMs = nowMs
      left = BYTES_PER_SECOND
    }
    // A message is compressed for each socket anew.
    if (chars * sockets > left) return false
    left -= chars * sockets
    return true
  }
}
