import { readFileSync } from 'node:fs'
import { REAL_WORLD } from '../../operator/real-world.ts'
import { runCommand } from '../../operator/run-command.ts'
import { settingsFolder } from '../../settings-folder.ts'

export const SHORT = `
name = "short"
task = "Trade."
seeds = [7, 8]
markets = ["PERP_ETH_USDC"]
activity = "sparse"
length = "20m"
step = "5m"
`

/** The begin of an agent's program: a function that calls a tool and answers its result. */
export const CALLS = `
import { createInterface } from 'node:readline'
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
let id = 0
async function call(name, given = {}) {
  id += 1
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } }) + '\\n')
  const { value } = await lines.next()
  return value === undefined ? process.exit(0) : JSON.parse(JSON.parse(value).result.content[0].text)
}
`

type Opening = {
  readonly text?: string
  readonly variables?: Readonly<Record<string, string>>
  readonly world?: typeof REAL_WORLD
}

/** A folder for evaluations of one file, to which lines are added, under settings; and what they wrote for seed 7. */
export function openEvaluations(opening: Opening = {}) {
  const { text = SHORT, variables = {}, world = REAL_WORLD } = opening
  const folder = settingsFolder()
  const read = (name: string) => readFileSync(folder.path(name), 'utf8')
  const run = (...words: readonly string[]) =>
    runCommand(folder, ['eval', ...words], variables, world)
  return {
    ...folder,
    run,
    read,
    evaluate: (command: string, lines: string, out: string, ...flags: readonly string[]) =>
      run(command, folder.write('short.toml', text + lines), '--out', folder.path(out), ...flags),
    program: (text: string) => `${process.execPath} ${folder.write('agent.mjs', text)}`,
    runOf: (out: string) => JSON.parse(read(`${out}/seed-7.json`)),
    errorsOf: (out: string) => read(`${out}/seed-7.errors`),
    logOf: (out: string) =>
      read(`${out}/seed-7.jsonl`)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
  }
}
