import { faultFront } from '../../../src/simulator/server/faults/front.ts'
import { type FaultTerms, openFaults } from '../../../src/simulator/server/faults/rules.ts'
import { listenVenue } from '../../../src/simulator/server/listener.ts'
import { openWireClient, openWireSocket, proofOf } from '../../surface/wire-client.ts'
import { openVirtual, pass } from '../embedded-fixture.ts'

/** A venue of virtual time on a port, and clients of it. */
export function openWire(startMs?: number, markets?: readonly string[] | null) {
  const { venue, entities } = openVirtual(1, undefined, startMs, markets)
  const { clock } = venue.time
  const faults = openFaults({ seed: 1, clock, entities })
  const answer = faultFront(venue.answer, { ...venue, faults, sleep: Bun.sleep })
  const server = listenVenue({ host: '127.0.0.1', port: 0 }, { ...venue, answer, clock })
  const url = `http://127.0.0.1:${server.port}`
  return {
    venue,
    url,
    nowMs: clock.nowMs,
    lay: (terms: FaultTerms) => void faults.add(terms, clock.nowMs()),
    pass: (ms: number, steps = 1) => pass(venue, ms, steps),
    client: (name: string) => openWireClient(url, name, clock.nowMs),
    open: (path = '/ws/stream/anybody') => openWireSocket(url, path),
    /** The private socket of a client, proved. */
    own: async ({ auth }: Awaited<ReturnType<typeof openWireClient>>) => {
      const socket = await openWireSocket(url, `/v2/ws/private/stream/${auth.accountId}`)
      socket.send({ id: 'auth', event: 'auth', params: proofOf(auth, clock.nowMs()) })
      await socket.level()
      return socket
    },
    stop: async () => {
      venue.live.close()
      await server.stop()
    },
  }
}

type Message = {
  readonly topic?: string
  readonly data?: unknown
  readonly [name: string]: unknown
}

/** What was said on a topic, oldest first. */
export function messagesOn(texts: readonly string[], topic: string): readonly Message[] {
  return texts
    .map((text) => JSON.parse(text) as Message)
    .filter((messages) => messages.topic === topic)
}
