import { readSync } from 'node:fs'

const ONE_BYTE = new Uint8Array(1)

/**
 * Reads from the socket itself, since the loop has not seen what came since its last turn. The runtime's sockets never
 * block: where nothing came, and the other end has not closed, the read fails with EAGAIN.
 */
export function hasNothingToRead(socket: object): boolean {
  if (!('fd' in socket) || typeof socket.fd !== 'number') return false
  try {
    readSync(socket.fd, ONE_BYTE, 0, 1, null)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EAGAIN'
  }
}
