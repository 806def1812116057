import { afterEach, describe, expect, test, vi } from 'bun:test'
import { mayBeProxied } from '../../src/core/base-url.ts'
import { yieldToEventLoop } from '../../src/core/loop/guarded.ts'
import { pass } from '../fake-time.ts'
import { startDyingVenue } from '../faults/dying-venue.ts'
import { ACCEPTED, type AnswerSpec, type Recorded } from '../recording-upstream.ts'
import { faultOf, read, startServer, startVenue, stopVenues, write } from './live-venue.ts'

afterEach(() => void vi.useRealTimers())
afterEach(stopVenues)

describe('connections', () => {
  test('reads share one, and writes another', async () => {
    const { venue, upstream } = await startVenue()
    for (let round = 0; round < 2; round += 1) {
      await upstream.send(read())
      await upstream.send(write('POST', { body: '{}' }))
      await upstream.send(write('DELETE'))
    }
    const carriers = ({ connection }: Recorded) => connection
    const [reads, writes] = [true, false].map((isRead) =>
      venue.requests.filter(({ method }) => (method === 'GET') === isRead).map(carriers),
    )
    expect(new Set(reads).size).toBe(1)
    expect(new Set(writes).size).toBe(1)
    expect(writes).not.toContain(reads?.[0])
  })

  test('writes at once have one each', async () => {
    const { promise: allAsked, resolve } = Promise.withResolvers<void>()
    const { venue, upstream } = await startVenue(async () => {
      if (venue.requests.length === 5) resolve()
      await allAsked
      return ACCEPTED
    })
    const writes = Array.from({ length: 5 }, () => upstream.send(write('POST', { body: '{}' })))
    await Promise.all(writes)
    expect(new Set(venue.requests.map(({ connection }) => connection)).size).toBe(5)
  })

  test.each(['FIN', 'RST'] as const)(
    'that were closed by %s while this process stood still carry no write',
    async (ending) => {
      const venue = await startDyingVenue('http')
      const main = new URL(venue.url)
      const { upstream } = await startVenue(undefined, { main })
      await upstream.send(write('POST', { body: '{}' }))
      venue.dies('never', ending)
      await venue.endAll()
      expect((await upstream.send(write('POST', { body: '{}' }))).status).toBe(200)
      expect(venue.arrived()).toHaveLength(1)
      venue.stop()
    },
  )

  test('that carried an answer nobody asked for carry no write', async () => {
    const twice = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'
    const { venue, upstream } = await startVenue(({ connection }) =>
      connection === 1 ? { raw: twice + twice.replace('{}', '[]'), open: true } : ACCEPTED,
    )
    expect((await upstream.send(write('POST', { body: '{}' }))).body).toBe('{}')
    expect((await upstream.send(write('POST', { body: '{}' }))).body).toContain('success')
    expect(venue.requests.map(({ connection }) => connection)).toEqual([1, 2])
  })

  test.each(['POST', 'PUT', 'DELETE'] as const)(
    'a %s whose connection dies after it was read arrives exactly once',
    async (method) => {
      let answered = 0
      const { venue, upstream } = await startVenue(() => {
        answered += 1
        return answered > 2 ? 'close' : ACCEPTED
      })
      await upstream.send(read())
      await upstream.send(write(method))
      const last = write(method, method === 'DELETE' ? {} : { body: '{"last":1}' })
      expect(await faultOf(upstream.send(last))).toEqual({ fault: 'reset', sent: true })
      await Bun.sleep(50)
      expect(venue.requests.map((request) => request.method)).toEqual(['GET', method, method])
    },
  )

  test('a read finds a new connection when the venue closed the idle one', async () => {
    const { venue, upstream } = await startVenue(({ connection }) =>
      connection === 1
        ? {
            raw: 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
          }
        : ACCEPTED,
    )
    await upstream.send(read())
    while (venue.openConnections() > 0) await Bun.sleep(5)
    const query = read('/v1/public/query', { method: 'POST', body: '{}' })
    expect((await upstream.send(query)).status).toBe(200)
    expect(venue.requests.map(({ connection }) => connection)).toEqual([1, 2])
  })

  test('of writes are their own where a proxy may stand before the venue', async () => {
    const { venue, upstream } = await startVenue(undefined, { proxied: () => true })
    for (let round = 0; round < 3; round += 1) await upstream.send(write('PUT', { body: '{}' }))
    expect(new Set(venue.requests.map(({ connection }) => connection)).size).toBe(3)
  })
})

describe('a proxy that the environment names', () => {
  /** Sends a read and a write to a venue from a process of that environment. */
  async function callFrom(env: Record<string, string>, venue: string): Promise<number> {
    const sourceOf = (name: string) =>
      JSON.stringify(new URL(`../../src/${name}.ts`, import.meta.url).pathname)
    const script = `
      import { httpUpstream } from ${sourceOf('upstream/http')}
      import { mayBeProxied } from ${sourceOf('core/base-url')}
      const main = new URL(${JSON.stringify(venue)})
      const upstream = httpUpstream({
        ...{ main, vaults: main, concurrentMax: 2, writeReserved: 1, queuedMax: { read: 1, write: 1 } },
        ...{ bodyMaxBytes: 1000, bodyDepthMax: 9, bodiesMaxBytes: { read: 1000, write: 1000 } },
        elapsedMs: () => performance.now(),
        proxied: (url) => mayBeProxied(url, process.env),
      })
      for (const lane of ['read', 'write', 'write'])
        await upstream.send({ host: 'main', method: 'POST', path: '/', headers: {}, lane, deadlineMs: 60_000 })
      process.exit(0)`
    const run = Bun.spawn([process.execPath, '-e', script], { env: { PATH: '/usr/bin', ...env } })
    return await run.exited
  }

  test('is not asked for a venue on this machine', async () => {
    const proxy = await startServer()
    const { venue } = await startVenue()
    const env = { HTTP_PROXY: proxy.url, http_proxy: proxy.url, ALL_PROXY: proxy.url }
    expect(await callFrom(env, venue.url)).toBe(0)
    expect(venue.requests).toHaveLength(3)
    expect(proxy.requests).toEqual([])
  })

  test('is asked for every other, by writes on a connection each', async () => {
    const proxy = await startServer()
    expect(await callFrom({ HTTP_PROXY: proxy.url }, 'http://venue.example')).toBe(0)
    expect(proxy.requests.map(({ target }) => target)).toEqual(
      Array(3).fill('http://venue.example/'),
    )
    expect(new Set(proxy.requests.map(({ connection }) => connection)).size).toBe(3)
  })

  const venue = new URL('https://venue.example')
  test.each([
    [{ HTTPS_PROXY: 'http://p' }, true],
    [{ https_proxy: 'http://p' }, true],
    [{ ALL_PROXY: 'http://p' }, true],
    [{ HTTPS_PROXY: '' }, false],
    [{ HTTP_PROXY: 'http://p', NO_PROXY: '*' }, false],
    [{}, false],
  ])('of %p may stand before an https venue: %p', (env, expected) => {
    expect(mayBeProxied(venue, env)).toBe(expected)
    expect(mayBeProxied(new URL('https://localhost:1'), env)).toBe(false)
  })
})

describe('lanes', () => {
  test('reads that hang leave writes their share, and a read without a slot was not sent', async () => {
    const { venue, upstream } = await startVenue(({ method }) =>
      method === 'GET' ? 'hang' : ACCEPTED,
    )
    vi.useFakeTimers()
    const faults: string[] = []
    const reads = Array.from({ length: 12 }, async () => {
      const { fault, sent } = await faultOf(upstream.send(read()))
      faults.push(`${fault} ${sent}`)
    })
    const writes = Array.from({ length: 3 }, () => upstream.send(write('POST', { body: '{}' })))
    expect((await Promise.all(writes)).map(({ status }) => status)).toEqual([200, 200, 200])
    const hanging = () => venue.requests.filter(({ method }) => method === 'GET').length
    while (hanging() < 5) await yieldToEventLoop()
    expect(faults).toEqual([])
    await pass(read().deadlineMs / 2)
    while (faults.length < 7) await yieldToEventLoop()
    expect(faults).toEqual(Array(7).fill('saturated false'))
    await pass(read().deadlineMs / 2)
    vi.useRealTimers()
    await Promise.all(reads)
    expect(faults.slice(7)).toEqual(Array(5).fill('timeout true'))
    expect(hanging()).toBe(5)
  })

  test('a call waits for a slot for half its deadline, and no longer', async () => {
    const { promise: held, resolve: letGo } = Promise.withResolvers<AnswerSpec>()
    const { venue, upstream } = await startVenue(() => held, { concurrentMax: 1, writeReserved: 0 })
    const holding = upstream.send(read())
    while (venue.requests.length === 0) await Bun.sleep(1)
    vi.useFakeTimers()
    const faults: string[] = []
    const waiting = faultOf(upstream.send(read('/', { deadlineMs: 300 }))).then(({ fault }) =>
      faults.push(fault),
    )
    await pass(149)
    expect(faults).toEqual([])
    await pass(1)
    expect(faults).toEqual(['saturated'])
    vi.useRealTimers()
    await waiting
    letGo(ACCEPTED)
    await holding
    expect(venue.requests).toHaveLength(1)
  })

  test.each([
    { lane: 'read', call: read(), queuedMax: 64 },
    { lane: 'write', call: write('POST', { body: '{}' }), queuedMax: 32 },
  ])(
    '$queuedMax calls wait in the $lane lane, and the next is turned away at once',
    async (row) => {
      const { promise: held, resolve: letGo } = Promise.withResolvers<AnswerSpec>()
      const { venue, upstream } = await startVenue(() => held, {
        concurrentMax: 1,
        writeReserved: 0,
        queuedMax: { read: 64, write: 32 },
      })
      vi.useFakeTimers()
      const faults: string[] = []
      const holding = upstream.send(row.call)
      const waiting = Array.from({ length: row.queuedMax }, async () => {
        faults.push((await faultOf(upstream.send({ ...row.call, deadlineMs: 600 }))).fault)
      })
      expect(await faultOf(upstream.send(row.call))).toEqual({ fault: 'saturated', sent: false })
      expect(faults).toEqual([])
      while (venue.requests.length === 0) await yieldToEventLoop()
      await pass(300)
      vi.useRealTimers()
      await Promise.all(waiting)
      letGo(ACCEPTED)
      await holding
      expect(faults).toEqual(Array(row.queuedMax).fill('saturated'))
      expect(venue.requests).toHaveLength(1)
    },
  )

  test('a slot comes back after a fault as after an answer', async () => {
    const limits = { concurrentMax: 2, writeReserved: 1 }
    const { venue, upstream } = await startVenue(
      ({ target }) => (target === '/bad' ? 'close' : ACCEPTED),
      limits,
    )
    for (const path of ['/bad', '/good', '/bad', '/good']) {
      await upstream.send(read(path)).catch(() => undefined)
    }
    expect((await upstream.send(read('/good'))).status).toBe(200)
    expect(venue.requests.at(-1)?.target).toBe('/good')
  })
})
