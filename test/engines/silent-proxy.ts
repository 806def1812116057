import { connect, createServer, type Socket } from 'node:net'

/** A way to a server that can go silent: every connection stays open, and nothing comes through any more. */
export type SilentProxy = {
  readonly port: number
  readonly silence: () => void
  readonly speak: () => void
  readonly stop: () => Promise<void>
}

/** Passes on what comes to a free loopback port. */
export async function startSilentProxy(port: number): Promise<SilentProxy> {
  const sockets = new Set<Socket>()
  let isSilent = false

  function pass(from: Socket, to: Socket): void {
    sockets.add(from)
    from.on('data', (bytes) => {
      // What is said meanwhile is lost, as it is on a network that is cut.
      if (!isSilent) to.write(bytes)
    })
    from.on('error', () => to.destroy())
    from.on('close', () => {
      sockets.delete(from)
      if (!isSilent) to.destroy()
    })
  }

  const server = createServer((socket) => {
    const behind = connect(port, '127.0.0.1')
    pass(socket, behind)
    pass(behind, socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening on TCP')
  return {
    port: address.port,
    silence: () => {
      isSilent = true
    },
    speak: () => {
      isSilent = false
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
