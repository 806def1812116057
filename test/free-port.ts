/** Below those that a system gives to whoever names none, so that nobody comes to have one by chance. */
const [FIRST, LAST] = [16_000, 31_999]
/** Each of the processes that run tests beside each other begins at a place of its own. */
const PLACES = 64

let next = FIRST + ((LAST - FIRST + 1) / PLACES) * (process.pid % PLACES)

/** A port of loopback that nobody listens on, given once by this process. */
export function freePort(): number {
  for (;;) {
    const port = next
    next = next === LAST ? FIRST : next + 1
    if (isFree(port)) return port
  }
}

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: '127.0.0.1', port, socket: { data: () => undefined } }).stop(true)
    return true
  } catch {
    return false
  }
}
