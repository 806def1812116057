import type { Engine } from '../engine/engine.ts'
import { type IsOver, NEVER_OVER } from '../engine/run.ts'
import type { Agenda } from './state.ts'

/** Lets a world go on, with what an agenda has for the times on its way. */
export type Attendance = {
  readonly attend: (agenda: Agenda) => void
  /** Goes on to a time, or until it is enough for now; answers whether the world is there. */
  readonly goOn: (engine: Engine, toMs: number, isOver?: IsOver) => boolean
}

const NO_AGENDA: Agenda = { nextMs: () => null, perform: () => undefined }

/** Attends to no agenda until it is given one. While a point of it is performed the world stays at its time. */
export function createAttendance(): Attendance {
  let agenda = NO_AGENDA
  let isPerforming = false

  function perform(): void {
    isPerforming = true
    agenda.perform()
    isPerforming = false
  }

  return {
    attend: (next) => {
      agenda = next
    },
    goOn: (engine, toMs, isOver = NEVER_OVER) => {
      if (isPerforming) return true
      for (let at = agenda.nextMs(); at !== null && at <= toMs; at = agenda.nextMs()) {
        if (!engine.step(at, isOver)) return false
        perform()
      }
      return engine.step(toMs, isOver)
    },
  }
}
