import { dlopen, FFIType, ptr } from 'bun:ffi'
import { every, reportUnexpected } from '../core/loop/guarded.ts'

/** The service states that systemd is notified of (sd_notify). */
type State = 'READY=1' | 'STOPPING=1' | 'WATCHDOG=1'

type Notify = (state: State) => void

/**
 * Creates a function that notifies systemd on the socket NOTIFY_SOCKET (a path, or `@` and an abstract name). Without a
 * socket it does nothing. The runtime has no datagram Unix sockets, so the function uses the C library. Throws if the
 * library cannot be loaded.
 */
export function createNotify(socket: string | undefined): Notify {
  if (!socket) return () => undefined
  const { symbols } = openLibrary()
  const descriptor = symbols.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)
  const address = socketAddress(socket)
  return (state) => {
    const text = Buffer.from(state)
    symbols.sendto(descriptor, ptr(text), text.length, 0, ptr(address), address.length)
  }
}

/**
 * Notifies the watchdog twice per watchdog interval. The timer fires only while the event loop works. Returns a
 * function that stops the timer. `times`: WATCHDOG_USEC and WATCHDOG_PID. Sends nothing if both are missing or name a
 * different process.
 */
export function startWatchdog(
  notify: Notify,
  times: { readonly microseconds: string | undefined; readonly pid: string | undefined },
  ownPid: number,
): () => void {
  const everyMs = Number(times.microseconds) / 1000 / 2
  const isOther = times.pid !== undefined && Number(times.pid) !== ownPid
  if (!(everyMs >= 1) || isOther) return () => undefined
  const timer = every('process', everyMs, () => notify('WATCHDOG=1'))
  return () => clearInterval(timer)
}

const AF_UNIX = 1
const SOCK_DGRAM = 2
const SOCK_CLOEXEC = 0o2000000
const SYMBOLS = {
  socket: { args: [FFIType.i32, FFIType.i32, FFIType.i32], returns: FFIType.i32 },
  sendto: {
    args: [FFIType.i32, FFIType.ptr, FFIType.u64, FFIType.i32, FFIType.ptr, FFIType.u32],
    returns: FFIType.i64,
  },
} as const

/** Opens the GNU C library, or musl. */
function openLibrary() {
  try {
    return dlopen('libc.so.6', SYMBOLS)
  } catch (error) {
    reportUnexpected('process', error, Error)
    return dlopen('libc.so', SYMBOLS)
  }
}

/** A sockaddr_un: the family, then the path. An abstract name begins with a zero byte. */
function socketAddress(socket: string): Buffer {
  const family = Buffer.alloc(2)
  family.writeUInt16LE(AF_UNIX)
  return Buffer.concat([family, Buffer.from(socket.replace(/^@/, '\0'))])
}
