import { afterEach, beforeEach, expect, test, vi } from 'bun:test'
import { openSession, toSocketTarget, WIRE_LIMITS } from '../../../src/simulator/server/sockets.ts'
import { openVirtual } from '../embedded-fixture.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** One side of a conversation, and whether it has been ended. */
function talkAt(path: string) {
  const place = toSocketTarget(path)
  if (!place) throw new Error(path)
  const messages: string[] = []
  let isOver = false
  const { venue } = openVirtual()
  const talk = openSession({
    live: venue.live,
    clock: venue.time.clock,
    place,
    send: (text) => messages.push(text),
    close: () => {
      isOver = true
    },
  })
  return { talk, messages, isOver: () => isOver }
}

const PRIVATE = `/v2/ws/private/stream/0x${'ab'.repeat(32)}`
const { socketPingMs, socketPingsMissedMax, socketAuthMs } = WIRE_LIMITS

test('who answers no ping is dropped after ten, and who answers is not', () => {
  const [deaf, alive] = [talkAt('/ws/stream/x'), talkAt('/ws/stream/x')]
  for (let ping = 0; ping <= socketPingsMissedMax; ping++) {
    expect(deaf.isOver()).toBe(false)
    vi.advanceTimersByTime(socketPingMs)
    alive.talk.receive('{"event":"pong"}')
  }
  expect(deaf.isOver()).toBe(true)
  expect(deaf.messages.filter((text) => text.startsWith('{"event":"ping"'))).toHaveLength(10)
  expect(alive.isOver()).toBe(false)
  for (const { talk } of [deaf, alive]) talk.gone()
})

test('who has not said whose key it is by then is dropped from a private socket, and from no other', () => {
  const [own, open] = [talkAt(PRIVATE), talkAt('/ws/stream/x')]
  vi.advanceTimersByTime(socketAuthMs - 1)
  expect(own.isOver()).toBe(false)
  vi.advanceTimersByTime(1)
  expect([own.isOver(), open.isOver()]).toEqual([true, false])
  for (const { talk } of [own, open]) talk.gone()
})

test('other addresses open no socket', () => {
  for (const path of ['/ws/stream/', '/ws/stream', '/ws', '/v2/ws/private/stream/0xab', '/'])
    expect(toSocketTarget(path)).toBeNull()
})
