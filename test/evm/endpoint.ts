/** One call as an endpoint passes it on. `result` is what the node behind it says. */
export type Passed = {
  readonly method: string
  readonly params: readonly unknown[]
  readonly result: unknown
}

/** A second way to a node, which may answer anything else. */
export type TestEndpoint = {
  readonly url: string
  /** How it answers from now on; null passes everything on as it is. */
  readonly meddle: (with_: ((call: Passed) => unknown) | null) => void
  /** The methods called since the last time this was asked. */
  readonly taken: () => readonly string[]
  readonly stop: () => Promise<void>
}

/** Answers of a meddler that are no answer. */
export const DEAD = Symbol('closes the connection')
export const HTML = Symbol('answers a page')

/** Starts an endpoint on loopback in front of a node. */
export function startEndpoint(behind: string): TestEndpoint {
  let change: ((call: Passed) => unknown) | null = null
  let methods: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      const { id, method, params } = JSON.parse(await request.text())
      methods.push(method)
      const node = await fetch(behind, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
      })
      const answer = JSON.parse(await node.text())
      const result = change ? change({ method, params, result: answer.result }) : answer.result
      if (result === HTML) return new Response('<html>busy</html>', { status: 200 })
      if (result === DEAD) return new Response('gone', { status: 502 })
      return Response.json({ ...answer, result })
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    meddle: (with_) => {
      change = with_
    },
    taken: () => {
      const last = methods
      methods = []
      return last
    },
    stop: async () => void (await server.stop(true)),
  }
}

/** An object of an answer with some of its members replaced. */
export function altered(result: unknown, members: Record<string, unknown>): unknown {
  return typeof result === 'object' && result !== null ? { ...result, ...members } : result
}
