/** What the bench compares with: `bare` answers one file's bytes and nothing else; `venue` accepts everything. */
const [role = 'bare', file = ''] = process.argv.slice(2)
const HEADERS = { 'content-type': 'application/json' }
const ACCEPTED =
  '{"success":true,"timestamp":1700000000000,"data":{"order_id":1,"error_message":"none"}}'

const body = file ? await Bun.file(file).bytes() : new TextEncoder().encode(ACCEPTED)

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  development: false,
  reusePort: false,
  idleTimeout: 0,
  fetch: role === 'bare' ? () => new Response(body, { headers: HEADERS }) : accept,
})

async function accept(request: Request): Promise<Response> {
  if (request.body) await request.arrayBuffer()
  return new Response(body, { headers: HEADERS })
}

console.log(`listening on http://127.0.0.1:${server.port}`)
