/** A scheduled event. Plain data, so that it can be stored. */
export type TimedEvent = {
  readonly atMs: number
  /** The order in which events were planned. It decides between events at the same time. */
  readonly sequence: number
  readonly kind: EventKind
  /** The number of the market, agent or account that the event is about. */
  readonly subject: number
  readonly detail: number
}

export type EventKind =
  | 'factor'
  | 'index'
  | 'step'
  | 'arrival'
  | 'minute'
  | 'premium'
  | 'funding'
  | 'act'
  | 'requote'
  | 'unwind'
  | 'claim'
  | 'money'
  | 'vault'
  | 'cancelAll'
  | 'release'
  | 'tape'

/** Events ordered by time, then by the order in which they were planned; a binary heap. */
export type Queue = { readonly heap: TimedEvent[]; sequence: number }

export function createQueue(): Queue {
  return { heap: [], sequence: 0 }
}

/** Plans an event. */
export function plan(
  queue: Queue,
  atMs: number,
  kind: EventKind,
  subject: number,
  detail = 0,
): void {
  queue.sequence += 1
  push(queue, { atMs, sequence: queue.sequence, kind, subject, detail })
}

/** Whether an event is due at a time. */
export function hasDue({ heap: [first] }: Queue, nowMs: number): boolean {
  return first !== undefined && first.atMs <= nowMs
}

/** Removes and returns the earliest event that is due at a time; null if no event is due. */
export function due({ heap }: Queue, nowMs: number): TimedEvent | null {
  const [first] = heap
  if (!first || first.atMs > nowMs) return null
  const last = heap.pop()
  if (last && last !== first) sink(heap, last)
  return first
}

function push({ heap }: Queue, event: TimedEvent): void {
  let at = heap.length
  heap.push(event)
  while (at > 0) {
    const parentAt = (at - 1) >> 1
    const parent = heap[parentAt]
    if (!parent || isBefore(parent, event)) break
    heap[at] = parent
    at = parentAt
  }
  heap[at] = event
}

/** Replaces the first event of the heap, and moves the new event down to its place. */
function sink(heap: TimedEvent[], event: TimedEvent): void {
  let at = 0
  for (;;) {
    let childAt = 2 * at + 1
    let child = heap[childAt]
    const right = heap[childAt + 1]
    if (child && right && isBefore(right, child)) {
      child = right
      childAt += 1
    }
    if (!child || isBefore(event, child)) break
    heap[at] = child
    at = childAt
  }
  heap[at] = event
}

function isBefore(a: TimedEvent, b: TimedEvent): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.sequence < b.sequence)
}
