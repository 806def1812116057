import { note } from './aims.ts'
import { median, percentile } from './measure.ts'
import { CORES } from './servers.ts'

const STARTS = 31
const BINARY = new URL('../../build/out/prepd', import.meta.url).pathname
const PEER = new URL('./sdk-server.mjs', import.meta.url).pathname

const CONTENDERS = {
  prepd: [BINARY, '--mode', 'mcp'],
  'official SDK on Node.js': ['node', PEER],
} as const

const HELLO = [
  {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 1, method: 'tools/list' },
]
const TALK = HELLO.map((message) => `${JSON.stringify(message)}\n`).join('')

/** From starting an agent server to its list of tools, beside the smallest server on the official SDK, interleaved. */
export async function agentStarts(): Promise<void> {
  const names = Object.keys(CONTENDERS) as (keyof typeof CONTENDERS)[]
  const figures = new Map(names.map((name) => [name, [] as number[]]))
  for (let run = 0; run < STARTS; run++) {
    for (const name of names) figures.get(name)?.push(await startMs(CONTENDERS[name]))
  }
  console.log('\nstdio: spawn to the answer of the first tools/list')
  for (const [name, all] of figures) {
    const [middle, late] = [median(all), percentile(all, 0.95)]
    console.log(`  ${name.padEnd(24)} median ${middle.toFixed(1)} ms, p95 ${late.toFixed(1)} ms`)
  }
  const [own = [], peer = []] = names.map((name) => figures.get(name))
  note('agentStart', median(peer) / median(own))
  console.log(`  ${(median(peer) / median(own)).toFixed(1)} times faster`)
}

async function startMs(command: readonly string[]): Promise<number> {
  const startedAt = performance.now()
  const child = Bun.spawn(['taskset', '-c', CORES.server, ...command], {
    env: { PATH: process.env['PATH'] ?? '', SERVICE_API_URL: 'http://127.0.0.1:1' },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  child.stdin.write(TALK)
  child.stdin.flush()
  const decoder = new TextDecoder()
  let seen = ''
  for await (const chunk of child.stdout) {
    seen += decoder.decode(chunk, { stream: true })
    if (/"id":1[,}][^\n]*\n|"tools":\[[^\n]*"id":1\}\n/.test(seen)) break
  }
  const elapsedMs = performance.now() - startedAt
  child.stdin.end()
  await child.exited
  if (!seen.includes('"tools":[')) throw new Error(`${command[0]} listed no tools`)
  return elapsedMs
}
