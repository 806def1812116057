import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { deadlineIn } from '../../src/upstream/sockets/exchange.ts'
import { openPool } from '../../src/upstream/sockets/pool.ts'
import selfSigned from '../vectors/self-signed.json'

const nothing = () => undefined
const descriptors = () => readdirSync('/proc/self/fd').length

/** A host that answers and never ends its side of a connection; it counts those that are closed under it. */
function startHost(isSecure: boolean, answer: string) {
  const closed = Promise.withResolvers<void>()
  let left = CALLS
  const host = Bun.listen({
    ...{ hostname: '127.0.0.1', port: 0, allowHalfOpen: true },
    ...(isSecure && { tls: { cert: selfSigned.certificate, key: selfSigned.key } }),
    socket: {
      data: (socket) => void socket.write(answer),
      close: () => {
        left -= 1
        if (left === 0) closed.resolve()
      },
      ...{ end: nothing, error: nothing },
    },
  })
  return { port: host.port, closed: closed.promise, stop: () => host.stop(true) }
}

const CALLS = 5

test.each([
  ['http', 'HTTP/1.1 204 No Content\r\n\r\n'],
  ['https', 'HTTP/1.1 204 No Content\r\n\r\n'],
  ['https', 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'],
])('a host of %s that never ends its side holds no descriptor: %p', async (scheme, answer) => {
  const { port, closed, stop } = startHost(scheme === 'https', answer)
  const before = descriptors()
  const url = new URL(`${scheme}://localhost/`)
  const at = { address: '127.0.0.1', port, ca: selfSigned.certificate }
  for (let call = 0; call < CALLS; call += 1) {
    const exchange = openPool(url, { idleMs: 1, resends: false, openingMax: 1, at })
    const deadline = deadlineIn(5000)
    const target = { url, target: '/', headers: {}, body: null } as const
    expect((await exchange({ ...target, method: 'POST' }, deadline)).status).toBeLessThan(300)
    deadline.clear()
  }
  await closed
  while (descriptors() > before) await Bun.sleep(5)
  stop()
})
