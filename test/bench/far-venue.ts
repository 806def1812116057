import { connect, createServer, type Socket } from 'node:net'
import selfSigned from '../vectors/self-signed.json'

/**
 * A venue over TLS that accepts everything, at the end of a line of so many milliseconds there and back; the setting up
 * of a connection takes as long.
 */
const ROUND_TRIP_MS = Number(process.argv[2])
const HEADERS = { 'content-type': 'application/json' }
const ACCEPTED =
  '{"success":true,"timestamp":1700000000000,"data":{"order_id":1,"error_message":"none"}}'

const venue = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  development: false,
  tls: { cert: selfSigned.certificate, key: selfSigned.key },
  fetch: async (request) => {
    if (request.body) await request.arrayBuffer()
    return new Response(ACCEPTED, { headers: HEADERS })
  },
})

/** Passes on what one end says, half a round trip later and not before the line is open. */
function passOn(from: Socket, to: Socket, openAtMs: number): void {
  const later = (pass: () => void) => {
    const waitMs = Math.max(0, openAtMs - performance.now()) + ROUND_TRIP_MS / 2
    setTimeout(pass, waitMs)
  }
  from.on('data', (bytes) => later(() => to.write(bytes)))
  from.on('end', () => later(() => to.end()))
  from.on('error', () => to.destroy())
}

const line = createServer((near) => {
  const far = connect(venue.port ?? 0, '127.0.0.1')
  const openAtMs = performance.now() + ROUND_TRIP_MS
  near.setNoDelay()
  far.setNoDelay()
  passOn(near, far, openAtMs)
  passOn(far, near, openAtMs)
})
line.listen(0, '127.0.0.1', () => {
  const address = line.address()
  if (address && typeof address === 'object')
    console.log(`listening on https://localhost:${address.port}`)
})
