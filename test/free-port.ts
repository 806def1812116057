/** Below those that a system gives to whoever names none, so that nobody comes to have one by accident. */
const [FIRST, LAST] = [16_000, 31_999]
/** Each of the processes that run tests beside each other has a part of its own, and holds the port that stands for it. */
const PARTS = 64
const PART_PORTS = (LAST - FIRST + 1) / PARTS

let next = FIRST + PART_PORTS * ownPart()

/** A port of loopback that nobody listens on, given once by this process and by no other that runs tests. */
export function freePort(): number {
  for (;;) {
    const port = next
    next = next === LAST ? FIRST : next + 1
    if (isFree(port)) return port
  }
}

/** The first part that no other process has; where all are taken, one of them. */
function ownPart(): number {
  const begin = process.pid % PARTS
  for (let at = 0; at < PARTS; at += 1) {
    const part = (begin + at) % PARTS
    const held = listening(FIRST - PARTS + part)
    if (!held) continue
    held.unref()
    return part
  }
  return begin
}

function isFree(port: number): boolean {
  const listener = listening(port)
  listener?.stop(true)
  return listener !== null
}

function listening(port: number) {
  try {
    return Bun.listen({ hostname: '127.0.0.1', port, socket: { data: () => undefined } })
  } catch {
    return null
  }
}
