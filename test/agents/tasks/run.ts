import { toHex } from '../../../src/core/hex.ts'
import { openEmbeddedWorld } from '../tool-world.ts'
import { READING_TASKS } from './reading.ts'
import { TRADING_TASKS } from './trading.ts'

/**
 * One task for a model: `bun test/agents/tasks/run.ts TASK`. Serves a prepd on the embedded venue at a stopped clock,
 * says where and with which headers, and judges the line that is typed when the model has finished.
 */

const TASKS = [...READING_TASKS, ...TRADING_TASKS]
const EXIT_USAGE = 64

const task = TASKS.find(({ id }) => id === process.argv[2])
if (!task) {
  print(`Name a task: ${TASKS.map(({ id }) => id).join(', ')}`)
  process.exit(EXIT_USAGE)
}

const world = await openEmbeddedWorld()
await task.prepare?.(world)
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: async (request) => {
    const { pathname, search } = new URL(request.url)
    const { method, headers } = request
    return world.fetch(pathname + search, { method, headers, body: await request.text() })
  },
})
print(`Endpoint:  ${server.url}mcp`)
print(`Headers:   x-account-id: ${world.credentials.accountId}`)
print(
  `           x-trading-key: ${toHex(world.credentials.secret)}   (of this demo, gone when it ends)`,
)
print(`Tell it:   ${task.prompt}`)
process.stdout.write('Its answer, on one line: ')
const answer = await firstLine()
const isDone = await task.check(world, answer).catch(() => false)
print(isDone ? 'Done, as it was asked.' : 'Not done.')
await server.stop(true)
await world.stop()
process.exit(isDone ? 0 : 1)

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

async function firstLine(): Promise<string> {
  for await (const line of console) return line
  return ''
}
