import { ACTIVITIES, type Activity } from '../spec/venue/activity.ts'
import { CLOCK_MOVERS, type ClockMover } from '../spec/venue/advance.ts'

/** Settings of the embedded venue's world and clock. */
export type VenueKindValues = {
  activity: Activity
  clock: 'real' | 'virtual'
  clockMover: ClockMover
}

/** How these settings are read. */
export const VENUE_KINDS = {
  activity: {
    expects: 'sparse, calm, normal or busy',
    parse: (text: string) => ACTIVITIES.find((activity) => activity === text),
  },
  clock: {
    expects: 'real or virtual',
    parse: (text: string) => (['real', 'virtual'] as const).find((clock) => clock === text),
  },
  clockMover: {
    expects: 'operator or accounts',
    parse: (text: string) => CLOCK_MOVERS.find((mover) => mover === text),
  },
}
