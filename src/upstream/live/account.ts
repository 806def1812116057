import type { AccountSink, FeedAuth } from '../../core/feed.ts'
import { LIMITS } from '../../spec/limits.ts'
import { ACCOUNT_TOPICS } from '../../wire/live.ts'
import { authText, type LiveMessage, subscribeText } from '../../wire/live-messages.ts'
import { openSocket, type SocketWorld } from './socket.ts'

type Parts = SocketWorld & {
  readonly url: string
  readonly auth: FeedAuth
  readonly sink: AccountSink
  readonly malformed: () => void
}

/**
 * A private socket of one account and key. The signature it was opened with opens it again for as long as the venue
 * takes it; then it has expired. Answers how to end it.
 */
export function openAccount({ url, auth, sink, ...world }: Parts): () => void {
  const isFresh = () => world.clock.nowMs() - Number(auth.timestamp) <= LIMITS.signatureAgeMaxMs
  let isOpen = false
  const socket = openSocket({
    ...world,
    url,
    up: () => socket.send(authText(auth)),
    heard,
    down: () => {
      if (isOpen) sink.lost()
      isOpen = false
    },
    mayRetry: () => {
      if (isFresh()) return true
      sink.expired()
      return false
    },
  })

  function heard(message: LiveMessage): void {
    if (message.kind === 'told') sink.message(message)
    else if (message.kind === 'answered' && message.event === 'auth') judged(message.isGood)
  }

  function judged(isGood: boolean): void {
    if (isGood) {
      for (const topic of ACCOUNT_TOPICS) socket.send(subscribeText(topic))
      isOpen = true
      sink.opened()
      return
    }
    socket.close()
    // What was good a moment ago and is refused now is a signature that has grown too old.
    if (isFresh()) sink.refused()
    else sink.expired()
  }

  return socket.close
}
