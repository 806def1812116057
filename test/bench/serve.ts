/**
 * What the bench compares with: `bare` answers one file's bytes and nothing else; `venue` accepts everything; `fan`
 * publishes a trade to every socket at once, as often as its argument says in milliseconds, on ten topics in turn;
 * `beats` publishes two in one turn, half as often.
 */
const [role = 'bare', file = ''] = process.argv.slice(2)
const isFan = role === 'fan' || role === 'beats'
const TOPICS = Array.from({ length: 10 }, (_, number) => `trades:${number}`)
const HEADERS = { 'content-type': 'application/json' }
const ACCEPTED =
  '{"success":true,"timestamp":1700000000000,"data":{"order_id":1,"error_message":"none"}}'

const body = file && !isFan ? await Bun.file(file).bytes() : new TextEncoder().encode(ACCEPTED)

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  development: false,
  reusePort: false,
  idleTimeout: 0,
  fetch: (request, self) => {
    if (isFan && self.upgrade(request)) return undefined
    return role === 'bare' ? new Response(body, { headers: HEADERS }) : accept(request)
  },
  websocket: {
    open: (socket) => {
      for (const topic of TOPICS) socket.subscribe(topic)
    },
    message: () => undefined,
  },
})

const startedMs = performance.now()
const perTurn = role === 'beats' ? 2 : 1
let sent = 0
if (isFan) publish()

/** As many as are meant, however late a timer is: each in a turn of its own, or two in one. */
function publish(): void {
  for (let count = 0; count < perTurn; count += 1) {
    server.publish(TOPICS[sent % TOPICS.length] ?? '', trade())
    sent += 1
  }
  setTimeout(publish, Math.max(0, startedMs + sent * Number(file) - performance.now()))
}

function trade(): string {
  const row = { symbol: 'PERP_ETH_USDC', side: 'BUY', executed_price: 1, executed_quantity: 0.5 }
  const data = { trades: [{ ...row, executed_timestamp: Date.now() }] }
  const head = { topic: 'trades:PERP_ETH_USDC', type: 'event', epoch: '0123456789ab.1', seq: 1 }
  return JSON.stringify({ ...head, ts: Date.now(), data })
}

async function accept(request: Request): Promise<Response> {
  if (request.body) await request.arrayBuffer()
  return new Response(body, { headers: HEADERS })
}

console.log(`listening on http://127.0.0.1:${server.port}`)
