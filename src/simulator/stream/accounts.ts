import type { AccountSink, FeedAuth } from '../../core/feed.ts'
import { inMicrotask } from '../../core/loop/guarded.ts'
import type { Clock } from '../../core/ports.ts'
import type { Simulation } from '../exchange/simulation.ts'
import type { ReadUnserialised } from '../messages/row.ts'
import { type AccountWatch, isHeld, watchAccount } from './account.ts'
import type { EventBuffers } from './events.ts'

/** The accounts that have subscribers. */
export type AccountRoom = {
  /**
   * Adds a subscriber with a proved key, or refuses the subscriber if the key is not valid. Returns a function that
   * unsubscribes.
   */
  readonly join: (auth: FeedAuth, sink: AccountSink) => () => void
  /** Publishes what has changed since the last call, in these accounts or in all. */
  readonly send: (accountIds?: ReadonlySet<string>) => void
  readonly size: () => number
  readonly close: () => void
}

/** The sources of account messages. */
export type AccountSources = {
  readonly peek: ReadUnserialised
  /** Whether a signed timestamp proves that the caller has a valid key of the account. */
  readonly proves: (auth: FeedAuth) => boolean
  readonly events: EventBuffers
  readonly simulation: () => Simulation
  readonly clock: Clock
}

type AccountStreamOptions = AccountSources & {
  /** Called whenever a subscriber joins. */
  readonly joined: () => void
  /** Called whenever a subscriber leaves. */
  readonly left: () => void
}

type Watched = { readonly watch: AccountWatch; readonly auth: FeedAuth; readonly sink: AccountSink }

export function openAccountRoom(parts: AccountStreamOptions): AccountRoom {
  const { peek, proves, clock, joined, left } = parts
  const all = new Map<string, Set<Watched>>()

  function leave(accountId: string, watched: Watched): void {
    const those = all.get(accountId)
    if (!those?.delete(watched)) return
    watched.watch.end()
    if (those.size === 0) all.delete(accountId)
    left()
  }

  function sendTo(accountId: string, watched: Watched): void {
    const { auth, sink, watch } = watched
    if (isHeld(peek, auth)) {
      watch.send(({ topic, data }) => sink.message({ topic, atMs: clock.nowMs(), data }))
    } else {
      leave(accountId, watched)
      sink.refused()
    }
  }

  return {
    join(auth, sink) {
      if (!proves(auth)) {
        inMicrotask('venue', sink.refused)
        return () => undefined
      }
      const accountId = auth.accountId.toLowerCase()
      const watched = { watch: watchAccount(parts, accountId), auth, sink }
      const those = all.get(accountId) ?? new Set()
      all.set(accountId, those.add(watched))
      joined()
      inMicrotask('venue', sink.opened)
      return () => leave(accountId, watched)
    },
    send(accountIds = new Set(all.keys())) {
      for (const accountId of accountIds)
        for (const watched of [...(all.get(accountId) ?? [])]) sendTo(accountId, watched)
    },
    size: () => all.values().reduce((sum, { size }) => sum + size, 0),
    close() {
      for (const [accountId, those] of [...all])
        for (const watched of [...those]) leave(accountId, watched)
    },
  }
}
