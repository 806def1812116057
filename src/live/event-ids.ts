import { toHex } from '../core/hex.ts'
import type { Random } from '../core/ports.ts'

/**
 * Ids of events: the process's name and the message's number. A reconnecting client sends the id of the last event that
 * it received. Names of epochs also begin with the process's name.
 */
export type EventIds = {
  /** The name of this process. */
  readonly hub: string
  /** Counts one message. Returns its sequence number, also as an event id. */
  readonly next: () => { readonly place: number; readonly id: string }
  /** The id of the last message. */
  readonly last: () => string
  /** Parses the number of an id; null for an id of a different process, or an invalid id. */
  readonly read: (id: string | null) => number | null
  readonly epoch: () => string
}

const HUB_BYTES = 6

export function createEventIds(random: Random): EventIds {
  const hub = toHex(random.bytes(HUB_BYTES))
  let place = 0
  let epochs = 0
  return {
    hub,
    next: () => {
      place += 1
      return { place, id: `${hub}-${place}` }
    },
    last: () => `${hub}-${place}`,
    read: (id) => {
      const [, name, digits] = /^([0-9a-f]{12})-(\d{1,15})$/.exec(id ?? '') ?? []
      const number = Number(digits)
      return name === hub && number <= place ? number : null
    },
    epoch: () => {
      epochs += 1
      return `${hub}.${epochs}`
    },
  }
}
