// Slow: worlds are run in processes of their own, and each agent plays a world of its own first.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { CALLS, openEvaluations, SHORT } from './fixture.ts'

const MAIN = new URL('../../../src/main.ts', import.meta.url).pathname
const OPEN = SHORT.replace('[7, 8]', '[1, 2, 3]').replace('20m', '2h').replace('5m', '30m')
const HIDDEN = OPEN.replace('[1, 2, 3]', '"hidden"\nworlds = 3')
/** A fixed secret, so that the worlds of this test are the same each time. */
const SECRET = 'c0ffee'.padEnd(64, '0')

/**
 * Reads its environment, and the command line of the process that started it with the file it names; plays the world of the seed
 * that it finds, or of the number of its world, with the same executable; and trades with what the price did there.
 */
const FORESEEING = `
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
${CALLS}
const words = readFileSync('/proc/' + process.ppid + '/cmdline', 'utf8').split('\\0')
const text = readFileSync(words[words.indexOf('run') + 1], 'utf8')
const number = words[words.indexOf('--seed') + 1]
const seed = process.env.PREPD_EVAL_SEED ?? number
const folder = mkdtempSync(dirname(process.argv[1]) + '/own-')
const own = text.replace(/seeds = .*\\n(worlds = .*\\n)?/, 'seeds = [' + seed + ']\\n')
writeFileSync(folder + '/own.toml', own)
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PREPD_')))
const [program, ...before] = words.slice(0, words.indexOf('--mode'))
const run = ['--mode', 'admin', 'eval', 'run', folder + '/own.toml', '--agent', 'hold', '--out', folder + '/out']
execFileSync(program, [...before, ...run], { env, stdio: 'ignore' })
const { tradingUsdc, feesUsdc } = JSON.parse(readFileSync(folder + '/out/result.json', 'utf8')).runs[0].figures
console.error(JSON.stringify({ seed, tradingUsdc }))
const side = tradingUsdc > 0 ? 'BUY' : 'SELL'
if (Math.abs(tradingUsdc) > 2 * Math.abs(feesUsdc))
  await call('place_order', { symbol: 'PERP_ETH_USDC', side, order_type: 'MARKET', order_amount: 20000 })
process.exit(0)
`

let here: ReturnType<typeof openEvaluations>
beforeAll(() => {
  here = openEvaluations()
})
afterAll(() => here[Symbol.dispose]())

/** Runs the program itself, whose worlds have processes of their own. Answers what was gained, and what the agents foresaw. */
function ran(text: string, out: string, ...flags: readonly string[]) {
  const agent = ['--agent', here.program(FORESEEING), '--out', here.path(out)]
  const words = ['eval', 'run', here.write(`${out}.toml`, text), ...agent, ...flags]
  const { exitCode, stderr } = Bun.spawnSync(
    [process.execPath, MAIN, '--mode', 'admin', ...words],
    { env: process.env },
  )
  expect([exitCode, stderr.toString()]).toEqual([0, ''])
  const { runs } = JSON.parse(here.read(`${out}/result.json`))
  const gains: number[] = runs.map((run: { figures: { pnlUsdc: number } }) => run.figures.pnlUsdc)
  const foreseen = [1, 2, 3].map((number) => here.read(`${out}/seed-${number}.errors`))
  return { gains, foreseen }
}

test('an agent that plays the world of its seed first gains with open seeds, and plays another with hidden ones', () => {
  const open = ran(OPEN, 'open')
  for (const gain of open.gains) expect(gain).toBeGreaterThan(10)
  const hidden = ran(HIDDEN, 'hidden', '--secret', here.write('secret', SECRET))
  // It foresaw the worlds of the numbers and made the same order, which in one of these worlds would gain the same.
  expect(hidden.foreseen).toEqual(open.foreseen)
  for (const [at, gain] of hidden.gains.entries()) expect(gain).not.toBe(open.gains[at] ?? gain)
})
