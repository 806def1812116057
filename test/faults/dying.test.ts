import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { envelope, jsonPost, newCaller } from '../caller.ts'
import { spawnPrepd, temporaryFolder } from '../surface/spawned.ts'
import selfSigned from '../vectors/self-signed.json'
import { type Ending, POINTS, type Point, startDyingVenue } from './dying-venue.ts'
import { UNLIMITED } from './unlimited.ts'

type Method = 'POST' | 'PUT' | 'DELETE'

const METHODS: readonly Method[] = ['POST', 'PUT', 'DELETE']
const ENDINGS: readonly Ending[] = ['FIN', 'RST']
/** As many connections are kept before each death: one that is sent on again would find another dead one. */
const KEPT = 4

const DEATHS = Object.keys(POINTS).flatMap((point) =>
  ENDINGS.flatMap((ending) => METHODS.map((method) => ({ point: point as Point, ending, method }))),
)

describe.each(['http', 'https'] as const)('a write to a venue over %s', (scheme) => {
  const caller = newCaller()
  const folder = temporaryFolder()
  let venue: Awaited<ReturnType<typeof startDyingVenue>>
  let prepd: ReturnType<typeof spawnPrepd>
  let url = ''
  let writes = 0

  beforeAll(async () => {
    const authority = join(folder.path, 'authority.pem')
    writeFileSync(authority, selfSigned.certificate)
    venue = await startDyingVenue(scheme)
    prepd = spawnPrepd({
      settings: { VENUE: venue.url, DATA_DIR: join(folder.path, 'data'), ...UNLIMITED },
      env: { NODE_EXTRA_CA_CERTS: authority },
    })
    url = await prepd.url()
  })

  afterAll(async () => {
    prepd.kill('SIGTERM')
    expect(await prepd.ended()).toMatchObject({ code: 0, stderr: '' })
    venue.stop()
    folder[Symbol.dispose]()
  })

  function newWrite(method: Method) {
    writes += 1
    const id = `w${writes}`
    const order = { symbol: 'PERP_ETH_USDC', client_order_id: id }
    const signed =
      method === 'DELETE'
        ? { method, path: `/v1/order?${new URLSearchParams(order)}` }
        : { method, path: '/v1/order', body: JSON.stringify(order) }
    return { id, body: envelope(caller, signed) }
  }

  async function send({ body }: { readonly body: object }) {
    const response = await fetch(`${url}/api/prep/relay`, jsonPost(body))
    const { code = 'done' } = Object(await response.json())
    return { code, isReplay: response.headers.has('x-prepd-replay') }
  }

  async function keepConnections(): Promise<void> {
    venue.dies('never')
    do await Promise.all(Array.from({ length: KEPT }, () => send(newWrite('POST'))))
    while (venue.connections() < KEPT)
  }

  test.each(DEATHS)(
    '$method, whose connection dies $point by $ending, arrives once at most and is not sent again',
    async ({ point, ending, method }) => {
      await keepConnections()
      venue.dies(point, ending)
      const write = newWrite(method)
      const { code } = await send(write)
      expect(venue.arrived()).toEqual(point === 'before its request was read' ? [] : [write.id])
      expect(expected(point, ending)).toContain(code)
      venue.dies('never')
      expect(await send(write)).toEqual({ code, isReplay: true })
      expect(venue.arrived()).toEqual([])
    },
  )

  test.each(ENDINGS)(
    'that finds its connections closed while idle by %s is done, once',
    async (ending) => {
      for (const method of METHODS) {
        await keepConnections()
        venue.dies('never', ending)
        await venue.endAll()
        const write = newWrite(method)
        expect(await send(write)).toEqual({ code: 'done', isReplay: false })
        expect(venue.arrived()).toEqual([write.id])
      }
    },
  )
})

/** The allowed outcomes for its caller: unknown wherever the answer is incomplete. */
function expected(point: Point, ending: Ending): readonly string[] {
  if (point === 'never') return ['done']
  if (point !== 'with its answer') return ['outcome_unknown']
  // Whoever tears a connection down may take what it carried along.
  return ending === 'FIN' ? ['done'] : ['done', 'outcome_unknown']
}
