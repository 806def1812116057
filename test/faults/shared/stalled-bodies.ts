import { connect, type Socket } from 'node:net'
import { LIMITS } from '../../../src/contract/limits.ts'
import type { AttackPlace } from './attackers.ts'

/** Keeps the room of large bodies, and a part of that of small ones, full with bodies that never come. */
export async function stall({ served, address, signal }: AttackPlace): Promise<void> {
  const kinds = [
    {
      sizeBytes: LIMITS.httpBodyMaxBytes,
      count: LIMITS.httpBodiesMaxBytes / LIMITS.httpBodyMaxBytes,
    },
    { sizeBytes: LIMITS.httpSmallBodyMaxBytes, count: SMALL },
  ]
  while (!signal.aborted) {
    const sockets: Socket[] = []
    if (!served.isAway && served.isAttacked)
      for (const { sizeBytes, count } of kinds)
        for (let at = 0; at < count; at += 1) sockets.push(stalled(served.url, address, sizeBytes))
    await Bun.sleep(LIMITS.httpBodyDeadlineMs)
    for (const socket of sockets) socket.destroy()
  }
}

/** Small bodies at a time: more than the share of one address. */
const SMALL = 900

function stalled(url: string, address: string, sizeBytes: number): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => socket.destroy())
  const head = `POST /api/prep/relay HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n`
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${sizeBytes}\r\n\r\n`)
  return socket
}
