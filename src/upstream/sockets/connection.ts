import { guarded } from '../../core/loop/guarded.ts'
import type { Ending } from '../ending.ts'
import type { Answered } from '../exchange.ts'
import { type Carried, carriedBy } from './carried.ts'
import { createPausing } from './pausing.ts'
import type { Progress, Reading } from './reading.ts'
import type { Wire } from './wire.ts'

/** A connection that carries one call after another. */
export type Connection = {
  /**
   * Hands a request to the connection and answers as soon as the head of its answer is there. Throws an Error when that
   * does not come; the connection is closed then, as it is when the signal ends the call.
   */
  readonly carry: (request: Uint8Array, signal: Ending) => Promise<Answered>
  /** Whether any of the answer to the last call came. */
  readonly wasAnswered: () => boolean
}

/** A connection over an open wire; `onFree` is called each time it can carry another call. */
export function createConnection(wire: Wire, onFree: () => void): Connection {
  let carried: Carried | null = null
  let last: Reading | null = null
  const pausing = createPausing(wire)

  function broken(error: unknown): void {
    const call = carried
    carried = null
    wire.destroy()
    call?.settle(error)
  }

  function over(call: Carried, progress: Progress): void {
    carried = null
    const isKept = progress === 'whole' && call.keeps() && wire.isFlushed()
    if (isKept) pausing.end()
    else wire.close()
    call.end()
    if (isKept) onFree()
  }

  function take(call: Carried, bytes: Buffer): void {
    try {
      const progress = call.reading.take(bytes)
      call.tell(progress)
      if (progress === 'more') pausing.yieldAfter(bytes)
      else over(call, progress)
    } catch (error) {
      broken(error)
    }
  }

  wire.listen({
    heard: (bytes) => {
      // Where nobody has asked, nothing can be an answer.
      if (carried) take(carried, bytes)
      else wire.destroy()
    },
    ended: (error) => {
      if (carried && !error && carried.reading.endsWithConnection()) over(carried, 'spilled')
      else broken(error ?? new Error('the connection ended before its answer'))
    },
  })

  function carry(request: Uint8Array, signal: Ending): Promise<Answered> {
    const stop = guarded('upstream', () => broken(signal.reason))
    const settled = Promise.withResolvers<Answered>()
    carried = carriedBy(settled, {
      setUnread: pausing.setUnread,
      leave: () => broken(new Error('nobody reads the rest')),
      done: () => signal.removeEventListener('abort', stop),
    })
    last = carried.reading
    signal.addEventListener('abort', stop)
    if (signal.aborted) stop()
    else if (wire.isOpen()) wire.write(request)
    else broken(new Error('the connection ended before its call'))
    return settled.promise
  }

  return { carry, wasAnswered: () => last?.hasBegun() ?? false }
}
