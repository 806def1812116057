import type { Clock } from '../../core/ports.ts'

/** Minimum length in characters: compressing a shorter message costs more than it saves. */
const MIN_BYTES = 512

/** Maximum number of bytes compressed per second, about 25 ms of work. */
const BYTES_PER_SECOND = 1024 * 1024

const PERIOD_MS = 1000

/** Decides whether to compress a message, by its length and the number of sockets. */
export type Compression = (chars: number, sockets: number) => boolean

/** Compresses long messages within a budget per second. Messages beyond the budget are sent uncompressed. */
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
    // Counts the message once per socket, because the runtime compresses it once per socket.
    if (chars * sockets > left) return false
    left -= chars * sockets
    return true
  }
}
