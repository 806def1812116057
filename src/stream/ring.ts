import type { Frame } from '../scrub/frame.ts'
import { STREAM_LIMITS } from '../spec/stream/limits.ts'

/** One message of a topic. `place` counts the messages of the whole hub, `seq` those of the topic in its epoch. */
export type Kept = {
  readonly seq: number
  readonly place: number
  readonly atMs: number
  readonly frame: Frame
}

/** The last messages of one epoch of a topic, for whoever was away for a moment. */
export type Ring = {
  readonly push: (kept: Kept) => void
  /** What follows a message of this epoch; null when some of it is no longer here. */
  readonly after: (seq: number) => readonly Kept[] | null
  /** What follows a place of the hub; null when some of it is no longer here. */
  readonly afterPlace: (place: number) => readonly Kept[] | null
  readonly clear: () => void
}

const { ringMessages, ringMs, ringBytes } = STREAM_LIMITS

/** A ring bounded in messages, age and characters. */
export function createRing(): Ring {
  let kept: Kept[] = []
  let chars = 0
  let droppedPlace = 0

  function dropOldest(): void {
    const oldest = kept.shift()
    if (!oldest) return
    chars -= oldest.frame.text.length
    droppedPlace = oldest.place
  }

  return {
    push: (entry) => {
      kept.push(entry)
      chars += entry.frame.text.length
      while (isOver(kept, chars, entry.atMs)) dropOldest()
    },
    after: (seq) => {
      const first = kept[0]?.seq
      const last = kept.at(-1)?.seq
      if (first === undefined || last === undefined || seq < first - 1 || seq > last) return null
      return kept.filter((entry) => entry.seq > seq)
    },
    afterPlace: (place) =>
      place < droppedPlace || kept.length === 0
        ? null
        : kept.filter((entry) => entry.place > place),
    clear: () => {
      kept = []
      chars = 0
      droppedPlace = 0
    },
  }
}

function isOver(kept: readonly Kept[], chars: number, nowMs: number): boolean {
  const oldestMs = kept[0]?.atMs ?? nowMs
  return kept.length > ringMessages || chars > ringBytes || nowMs - oldestMs > ringMs
}
