import { expect, test } from 'bun:test'
import { ACCEPTED } from '../recording-upstream.ts'
import selfSigned from '../vectors/self-signed.json'

test.each(['read', 'write'])(
  'a venue with the certificate of another host is sent nothing (%s)',
  async (lane) => {
    expect(await outcomeBy('https://127.0.0.1', lane)).toBe('unreachable false 0')
    expect(await outcomeBy('https://localhost', lane)).toBe('answered 1')
  },
)

/** What a process that trusts the venue's certificate gets, and how many requests the venue saw. */
async function outcomeBy(origin: string, lane: string): Promise<string> {
  let reached = 0
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls: { cert: selfSigned.certificate, key: selfSigned.key },
    fetch: () => {
      reached += 1
      return Response.json(ACCEPTED.json)
    },
  })
  const path = `${Bun.env['TMPDIR'] ?? '/tmp'}/authority-${crypto.randomUUID()}.pem`
  await Bun.write(path, selfSigned.certificate)
  const source = new URL('../../src/upstream/http.ts', import.meta.url).pathname
  const script = `
    import { httpUpstream } from ${JSON.stringify(source)}
    const main = new URL('${origin}:${server.port}')
    const upstream = httpUpstream({
      ...{ main, vaults: main, concurrentMax: 2, writeReserved: 1, queuedMax: { read: 1, write: 1 } },
      ...{ bodyMaxBytes: 1000, bodyDepthMax: 9, bodiesMaxBytes: { read: 1000, write: 1000 } },
      ...{ elapsedMs: () => performance.now(), proxied: () => false },
    })
    const call = { host: 'main', method: 'POST', path: '/', headers: {}, lane: '${lane}', deadlineMs: 20000 }
    const outcome = await upstream.send(call).then(() => 'answered', ({ fault, sent }) => fault + ' ' + sent)
    await Bun.write(Bun.stdout, outcome)
    process.exit(0)`
  const run = Bun.spawn([process.execPath, '-e', script], {
    env: { PATH: '/usr/bin', NODE_EXTRA_CA_CERTS: path },
    stdout: 'pipe',
  })
  const reported = await new Response(run.stdout).text()
  await Bun.file(path).delete()
  await server.stop(true)
  return `${reported} ${reached}`
}
