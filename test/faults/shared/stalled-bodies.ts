import { connect, type Socket } from 'node:net'
import { LIMITS } from '../../../src/contract/limits.ts'
import type { AttackPlace } from './attackers.ts'

const { httpBodyMaxBytes, httpBodiesMaxBytes, httpBodyDeadlineMs, httpBodyShares } = LIMITS
const { httpSmallBodyMaxBytes, httpSmallBodiesMaxBytes } = LIMITS
/** A part of the sockets is opened in each round: all at once they would delay the accounts that are watched. */
const ROUNDS = 50
/** Bodies of each size that stall at a time: a tenth more than one address may hold of what is free. */
const KINDS = [
  { sizeBytes: httpBodyMaxBytes, allBytes: httpBodiesMaxBytes },
  { sizeBytes: httpSmallBodyMaxBytes, allBytes: httpSmallBodiesMaxBytes },
].map(({ sizeBytes, allBytes }) => ({
  sizeBytes,
  count: (1.1 * allBytes) / (httpBodyShares + 1) / sizeBytes,
}))

/** Keeps its address's share of the memory of large bodies, and of small ones, full with bodies that never come. */
export async function stall({ served, address, signal }: AttackPlace): Promise<void> {
  const rounds: Socket[][] = []
  while (!signal.aborted) {
    const round: Socket[] = []
    if (!served.isAway && served.isAttacked)
      for (const { sizeBytes, count } of KINDS)
        for (let at = 0; at < count / ROUNDS; at += 1)
          round.push(stalled(served.url, address, sizeBytes))
    rounds.push(round)
    await Bun.sleep(httpBodyDeadlineMs / ROUNDS)
    if (rounds.length > ROUNDS) for (const socket of rounds.shift() ?? []) socket.destroy()
  }
  for (const socket of rounds.flat()) socket.destroy()
}

function stalled(url: string, address: string, sizeBytes: number): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => socket.destroy())
  const head = `POST /api/prep/relay HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\n`
  socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${sizeBytes}\r\n\r\n`)
  return socket
}
