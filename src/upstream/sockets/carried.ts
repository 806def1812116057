import type { Answered } from '../exchange.ts'
import { joined } from '../joined.ts'
import { createFlow, type Flow, type Valve } from './flow.ts'
import type { Head } from './head.ts'
import { createReading, type Progress, type Reading } from './reading.ts'

/** A call under way on a connection. */
export type Carried = {
  readonly reading: Reading
  readonly settle: (error: unknown) => void
  /** What came of its answer so far is told to whoever waits. */
  readonly tell: (progress: Progress) => void
  readonly end: () => void
  /** Whether its connection may be used again. */
  readonly keeps: () => boolean
}

type Settled = {
  readonly resolve: (answered: Answered) => void
  readonly reject: (error: unknown) => void
}

type Means = Valve & {
  /** Told when the call is over, however it ended. */
  readonly done: () => void
}

/** A call whose answer is still to come. */
export function carriedBy({ resolve, reject }: Settled, means: Means): Carried {
  const { done } = means
  let head: Head | null = null
  let flow: Flow | null = null
  let first: Uint8Array[] = []
  const reading = createReading({
    head: (found) => {
      head = found
    },
    part: (part) => {
      if (flow) flow.push(part)
      else first.push(part)
    },
  })

  function tell(progress: Progress): void {
    if (!head || flow) return
    const { status, fields } = head
    const headers = { get: (name: string) => fields.get(name) ?? null }
    if (progress === 'more') {
      flow = createFlow(means)
      for (const part of first) flow.push(part)
    }
    resolve({ status, headers, body: flow?.body ?? joined(first) })
    first = []
  }

  return {
    reading,
    tell,
    settle: (error) => {
      done()
      reject(error)
      flow?.fail(error)
    },
    end: () => {
      done()
      flow?.end()
    },
    keeps: () => head?.keeps ?? false,
  }
}
