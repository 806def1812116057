import { UpstreamError } from '../../core/ports.ts'
import { unpackMessage } from '../messages/packed.ts'
import type { VenueCalls, VenueService } from '../service.ts'
import { type FromVenue, type ToVenue, unpackError } from './messages.ts'
import { createSubscriptions } from './subscriptions.ts'

/** The gateway's side of calls and subscriptions, whichever thread serves them now. */
export type VenueClient = {
  readonly calls: VenueCalls
  readonly feed: VenueService['feed']
  /** Takes an answer, or a message of the live wire. */
  readonly receive: (message: FromVenue) => void
  /** The thread is there, or there again: subscriptions begin anew. */
  readonly connected: (send: (message: ToVenue) => void) => void
  /** The thread is gone: what was asked of it ends, and nothing more arrives. */
  readonly disconnected: () => void
}

type Pending = PromiseWithResolvers<unknown>

/** A client without a thread; its calls throw UpstreamError until it has one. `nowMs` is the wall's time. */
export function createVenueClient(nowMs: () => number): VenueClient {
  const pending = new Map<number, Pending>()
  const { feed, ...subscriptions } = createSubscriptions(nowMs)
  let send: ((message: ToVenue) => void) | null = null
  let ids = 0

  function call(name: keyof VenueCalls, given: readonly unknown[]): Promise<unknown> {
    if (!send) return Promise.reject(new UpstreamError('unreachable', false))
    ids += 1
    const answer = Promise.withResolvers<unknown>()
    pending.set(ids, answer)
    send({ kind: 'call', id: ids, name, given })
    return answer.promise
  }

  function settle(id: number): Pending | undefined {
    const answer = pending.get(id)
    pending.delete(id)
    return answer
  }

  const calls = callsBy(call)
  return {
    calls,
    feed: { ...feed, book: async (symbol) => unpackMessage(await calls.book(symbol)) },
    receive: (message) => {
      if (message.kind === 'answer') settle(message.id)?.resolve(message.value)
      else if (message.kind === 'error') settle(message.id)?.reject(unpackError(message.error))
      else subscriptions.receive(message)
    },
    connected: (next) => {
      send = next
      subscriptions.connected(next)
    },
    disconnected: () => {
      send = null
      for (const answer of pending.values()) answer.reject(new UpstreamError('reset', true))
      pending.clear()
      subscriptions.disconnected()
    },
  }
}

/** Each call as a message; which answer belongs to which name is what the types of both threads say. */
function callsBy(
  call: (name: keyof VenueCalls, given: readonly unknown[]) => Promise<unknown>,
): VenueCalls {
  const by =
    <Name extends keyof VenueCalls>(name: Name) =>
    (...given: Parameters<VenueCalls[Name]>) =>
      call(name, given) as ReturnType<VenueCalls[Name]>
  return {
    answer: by('answer'),
    promote: by('promote'),
    listAccounts: by('listAccounts'),
    showAccount: by('showAccount'),
    fundAccount: by('fundAccount'),
    indexPrices: by('indexPrices'),
    moveClock: by('moveClock'),
    check: by('check'),
    stillPrices: by('stillPrices'),
    runCommand: by('runCommand'),
    book: by('book'),
  }
}
