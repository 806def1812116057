import { expect, test } from 'bun:test'
import { postFault } from '../../../src/operator/notify/public-https.ts'
import selfSigned from '../../vectors/self-signed.json'

test('a host is called once, at the first of its addresses that is reached', async () => {
  let status = 204
  let calls = 0
  const host = Bun.serve({
    ...{ hostname: '127.0.0.1', port: 0 },
    tls: { cert: selfSigned.certificate, key: selfSigned.key },
    fetch: () => {
      calls += 1
      return new Response(null, { status })
    },
  })
  const isAllowed = (address: string) => address.startsWith('127.')
  const reach = { isAllowed, port: host.port ?? 0, ca: selfSigned.certificate }
  const post = { url: new URL('https://localhost/'), headers: {}, body: '', deadlineMs: 5000 }
  const faultAt = (...addresses: readonly string[]) =>
    postFault({ ...reach, lookup: async () => addresses }, post)
  expect([await faultAt('127.0.0.2', '127.0.0.1', '127.0.0.1'), calls]).toEqual([null, 1])
  status = 500
  expect([await faultAt('127.0.0.1', '127.0.0.1'), calls]).toEqual(['http_500', 2])
  expect([await faultAt('127.0.0.2', '127.0.0.3'), calls]).toEqual(['unreachable', 2])
  expect([await faultAt('127.0.0.1', '10.0.0.1'), calls]).toEqual(['not_public', 2])
  await host.stop(true)
})
