/** The smallest server that a start is measured against. */
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('{}') })
console.log(`listening on http://127.0.0.1:${server.port}`)
