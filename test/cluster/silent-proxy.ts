import { connect, createServer, type Socket } from 'node:net'

/** A way to a server that can go silent: every connection stays open, and nothing comes through any more. */
export type SilentProxy = {
  readonly port: number
  /** From now on; or when of what the server says so many bytes more have come through, on new connections others. */
  readonly silence: (afterBytes?: number, newAfterBytes?: number) => void
  /** Lets everything through that is said on connections from now on: those that lost something stay silent. */
  readonly speak: () => void
  readonly stop: () => Promise<void>
}

/** A connection through the proxy. */
type Way = { readonly near: Socket; readonly far: Socket; leftBytes: number }

/** Passes on what comes to a free loopback port. */
export async function startSilentProxy(port: number): Promise<SilentProxy> {
  const ways = new Set<Way>()
  let leftBytes = Number.POSITIVE_INFINITY

  function open(near: Socket): void {
    const way: Way = { near, far: connect(port, '127.0.0.1'), leftBytes }
    ways.add(way)
    const { far } = way
    near.on('data', (bytes) => {
      if (way.leftBytes > 0) far.write(bytes)
    })
    far.on('data', (bytes: Buffer) => {
      near.write(bytes.subarray(0, way.leftBytes))
      way.leftBytes = Math.max(0, way.leftBytes - bytes.byteLength)
    })
    near.on('close', () => {
      ways.delete(way)
      far.destroy()
    })
    // An end is something that is said as well.
    far.on('close', () => {
      if (way.leftBytes > 0) near.destroy()
    })
    for (const socket of [near, far]) socket.on('error', () => socket.destroy())
  }

  const server = createServer(open)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening on TCP')
  return {
    port: address.port,
    silence: (afterBytes = 0, newAfterBytes = afterBytes) => {
      leftBytes = newAfterBytes
      for (const way of ways) way.leftBytes = afterBytes
    },
    speak: () => {
      leftBytes = Number.POSITIVE_INFINITY
      for (const way of ways) if (way.leftBytes > 0) way.leftBytes = leftBytes
    },
    stop: async () => {
      for (const { near } of ways) near.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
