import { connect, createServer, type Socket } from 'node:net'

/** A way to a port of this machine that can be cut. */
export type Proxy = {
  readonly port: number
  /** Ends what passes, and lets nothing pass until it is healed. */
  readonly cut: () => void
  readonly heal: () => void
  readonly stop: () => Promise<void>
}

export async function startProxy(to: number): Promise<Proxy> {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    if (isCut) return void near.destroy()
    const far = connect(to, '127.0.0.1')
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening on TCP')
  function cut(): void {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: address.port,
    cut,
    heal: () => {
      isCut = false
    },
    stop: async () => {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
