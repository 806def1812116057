import type { Feed } from '../../core/feed.ts'
import type { FeedEvent } from './cluster-wire.ts'

/** A subscription at the venue, and whether the venue has taken it. */
type Held = { end: () => void; isOpen: boolean }

/** Subscriptions of this instance at the venue, whose events go to one taker. */
export function createHoldings(own: Pick<Feed, 'subscribe'>, take: (event: FeedEvent) => void) {
  const held = new Map<string, Held>()

  function hold(name: string): void {
    const one: Held = { end: () => undefined, isOpen: false }
    held.set(name, one)
    const turned = (kind: 'opened' | 'lost') => () => {
      one.isOpen = kind === 'opened'
      take({ kind, subject: name })
    }
    one.end = own.subscribe(name, {
      message: (message) => take({ kind: 'message', message }),
      opened: turned('opened'),
      lost: turned('lost'),
    })
  }

  return {
    isOpen: (name: string) => held.get(name)?.isOpen ?? false,
    /** Subscribes to these topics, and ends all others. */
    only: (names: ReadonlySet<string>): void => {
      for (const [name, { end }] of held) {
        if (names.has(name)) continue
        held.delete(name)
        end()
      }
      for (const name of names) if (!held.has(name)) hold(name)
    },
  }
}
