import { connect, createServer, type Socket } from 'node:net'
import { freePort } from '../free-port.ts'

/** A way to a server that can be shut: calls are then refused before a byte of them is sent. */
export type Gate = {
  readonly url: string
  readonly shut: () => Promise<void>
  readonly open: () => Promise<void>
}

/** Opens a gate to a server on loopback. Its address stays the same however often it is shut. */
export async function openGate(serverUrl: string): Promise<Gate> {
  const behind = Number(new URL(serverUrl).port)
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(behind, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => sockets.delete(socket))
    }
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    near.pipe(far).pipe(near)
  })
  // Nobody else comes to have it while the gate is shut.
  const port = freePort()
  const open = () =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', resolve)
    })
  await open()
  return {
    url: `http://127.0.0.1:${port}`,
    open,
    shut: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
