import { readFileSync } from 'node:fs'
import { commandWorld } from '../../../src/wiring/command-world.ts'
import { settingsFolder } from '../../settings-folder.ts'
import { runCommand } from '../run-command.ts'

const WORLD = commandWorld({
  clock: { nowMs: Date.now },
  random: { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) },
  monotonicMs: () => performance.now(),
})

const FILE = `
name = "short"
task = "Trade."
seeds = [7, 8]
markets = ["PERP_ETH_USDC"]
activity = "sparse"
length = "20m"
step = "5m"
[limits]
max_order_usdc = 1000
`

/** A folder for evaluations of one file, to which lines are added, under settings; and what they wrote for seed 7. */
export function openEvaluations(variables: Readonly<Record<string, string>> = {}) {
  const folder = settingsFolder()
  const read = (name: string) => readFileSync(folder.path(name), 'utf8')
  return {
    evaluate: (command: string, lines: string, out: string, ...flags: readonly string[]) => {
      const file = folder.write('short.toml', FILE + lines)
      const words = ['eval', command, file, '--out', folder.path(out), ...flags]
      return runCommand(folder, words, variables, WORLD)
    },
    program: (text: string) => `${process.execPath} ${folder.write('agent.mjs', text)}`,
    runOf: (out: string) => JSON.parse(read(`${out}/seed-7.json`)),
    errorsOf: (out: string) => read(`${out}/seed-7.errors`),
    logOf: (out: string) =>
      read(`${out}/seed-7.jsonl`)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

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
