import { openEvaluations, SHORT } from './fixture.ts'

/** Evaluations of agents whose orders are limited. */
export const openLimited = () =>
  openEvaluations({ text: `${SHORT}[limits]\nmax_order_usdc = 1000\n` })

/** What an agent is given when it is asked to begin. */
export type Terms = Readonly<Record<'url' | 'token', string>> & Readonly<Record<string, unknown>>

/** Serves an agent, and answers its address. `stop` ends the server with its connections. */
export function serving(begin: (terms: Terms, stop: () => void) => Response | Promise<Response>) {
  const stop = () => void server.stop(true)
  const server = Bun.serve({
    ...{ hostname: '127.0.0.1', port: 0, idleTimeout: 0 },
    fetch: async (request): Promise<Response> => begin(JSON.parse(await request.text()), stop),
  })
  return { address: `http://127.0.0.1:${server.port}/begin`, [Symbol.dispose]: stop }
}

export type Call = readonly [tool: string, given: object]

/** Sends one message to the tools. */
export function sent({ url, token }: Terms, message: object, method = 'POST') {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = method === 'POST' ? { body: JSON.stringify(message) } : {}
  return fetch(url, { method, headers, ...body })
}

export const callOf = ([name, given]: Call, id: number) => ({
  ...{ jsonrpc: '2.0', id, method: 'tools/call' },
  params: { name, arguments: given },
})
