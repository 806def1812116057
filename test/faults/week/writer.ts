import { createClient } from '../../../src/agents/client/client.ts'
import { envelope, jsonPost, type TestCaller } from '../../caller.ts'
import { newTrader, SYMBOL } from '../standby/place.ts'

/** Instances with the claims in common may be sent the same write. */
export type Lane = { readonly name: string; readonly urls: readonly string[] }

const WRITERS = 4
const PAUSE_MS = 1500
const AGAIN_AFTER_MS = 400
/** A write is sent again for so long; its signature lives longer. */
const SENT_FOR_MS = 120_000
const PAGE = 500
const UNCHECKED = { tls: { rejectUnauthorized: false } } as const

type Writer = { readonly lane: Lane; readonly caller: TestCaller; readonly answered: Set<string> }

/** Signed orders go to all lanes until the end; each is sent again, the same, until it is answered or too old. */
export async function startWriters(lanes: readonly Lane[], registrar: string) {
  const client = createClient({ baseUrl: registrar, transport: fetch, nowMs: Date.now })
  const writers: Writer[] = []
  for (const lane of lanes)
    for (let at = 0; at < WRITERS; at++)
      writers.push({ lane, caller: await newTrader(client), answered: new Set() })
  const failures: Record<string, number> = {}
  let isOver = false
  let written = 0

  async function send({ lane, answered }: Writer, id: string, body: object): Promise<void> {
    const endMs = performance.now() + SENT_FOR_MS
    for (let turn = written; performance.now() < endMs; turn++) {
      const status = await sent(lane.urls[turn % lane.urls.length] ?? '', body)
      if (status === '200') {
        answered.add(id)
        return
      }
      failures[status] = (failures[status] ?? 0) + 1
      await Bun.sleep(AGAIN_AFTER_MS)
    }
  }

  async function write(writer: Writer): Promise<void> {
    while (!isOver) {
      const side = written % 2 === 0 ? 'BUY' : 'SELL'
      const id = `week-${written++}`
      const order = { symbol: SYMBOL, side, order_type: 'MARKET', order_quantity: 0.01 }
      const body = JSON.stringify({ ...order, client_order_id: id })
      const signed = envelope(writer.caller, { method: 'POST', path: '/v1/order', body })
      await send(writer, id, signed)
      await Bun.sleep(PAUSE_MS)
    }
  }

  const done = Promise.all(writers.map(write))
  return {
    end: async () => {
      isOver = true
      await done
      const answered: Record<string, number> = {}
      for (const { lane, answered: own } of writers)
        answered[lane.name] = (answered[lane.name] ?? 0) + own.size
      const wrong = (await Promise.all(writers.map((one) => wrongOf(client, one)))).flat()
      return { written, answered, failures, wrong }
    },
  }
}

/** The status and code of an answer, or the kind of error. */
async function sent(url: string, body: object): Promise<string> {
  try {
    const init = { ...jsonPost(body), ...UNCHECKED, signal: AbortSignal.timeout(20_000) }
    const response = await fetch(`${url}/api/prep/relay`, init)
    const { code } = Object(await response.json())
    return response.ok ? '200' : `${response.status} ${code}`
  } catch (error) {
    return error instanceof Error ? error.name : 'error'
  }
}

/** What the venue has not exactly once of what it acknowledged, and anything that it has twice. */
async function wrongOf(
  client: ReturnType<typeof createClient>,
  { lane, caller, answered }: Writer,
): Promise<readonly string[]> {
  const counts = new Map<string, number>()
  for (let page = 1; ; page++) {
    const path = `/v1/orders?size=${PAGE}&page=${page}`
    const { rows } = Object(await client.relay(caller, { method: 'GET', path }))
    for (const { client_order_id: id } of rows) counts.set(id, (counts.get(id) ?? 0) + 1)
    if (rows.length < PAGE) break
  }
  const lost = [...answered].filter((id) => !counts.has(id)).map((id) => `${lane.name}: lost ${id}`)
  const doubled = [...counts].flatMap(([id, times]) =>
    times > 1 ? [`${lane.name}: ${times} times ${id}`] : [],
  )
  const none = answered.size === 0 ? [`${lane.name}: nothing was acknowledged`] : []
  return [...none, ...lost, ...doubled]
}
