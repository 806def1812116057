/**
 * A day of ten agents on a virtual clock, each with an order and a read a simulated minute: bun test/bench/agents.ts. The
 * build has to be there.
 */

import { DAY_MS, MINUTE_MS } from '../../src/contract/durations.ts'
import { ADVANCE_PATH } from '../../src/contract/venue/advance.ts'
import { envelope, jsonPost, type TestCaller } from '../caller.ts'
import { UNLIMITED } from '../faults/unlimited.ts'
import { newUser, WALLETS } from '../surface/wallets.ts'
import { cpuMicros } from './measure.ts'
import { startPrepd } from './servers.ts'

const AGENTS = 10
const MINUTES = DAY_MS / MINUTE_MS
const AIM_SECONDS = 10
/** A call has at most a hundred steps. */
const MINUTES_A_CALL = 10
const SYMBOL = 'PERP_ETH_USDC'
const READS = ['/v1/positions']
const SETTINGS = {
  ...UNLIMITED,
  VENUE_CLOCK: 'virtual',
  VENUE_MARKETS: 'PERP_BTC_USDC,PERP_ETH_USDC',
  OPS_LISTEN: '127.0.0.1:0',
}

/** A call carries some minutes: the signed orders of each before its step, and a read of each agent after it. */
export async function agentsDay(): Promise<void> {
  const prepd = await startPrepd(SETTINGS, null)
  const target = { fetch: (path: string, init?: RequestInit) => fetch(prepd.url + path, init) }
  const agents: TestCaller[] = []
  for (let agent = 0; agent < AGENTS; agent += 1) agents.push(await newUser(target, WALLETS.viem()))
  const cpuBefore = cpuMicros(prepd.pid)
  const startedMs = performance.now()
  let [orders, reads] = [0, 0]
  for (let minute = 0; minute < MINUTES; minute += MINUTES_A_CALL) {
    const steps = Array.from({ length: MINUTES_A_CALL }, (_, at) => minuteOf(agents, minute + at))
    const response = await fetch(prepd.opsUrl + ADVANCE_PATH, jsonPost({ steps: steps.flat() }))
    const taken = Object(await response.json())
    if (!response.ok) throw new Error(`the clock was not moved: ${JSON.stringify(taken)}`)
    const answers = taken.steps.flatMap((step: { calls?: object[] }) => step.calls ?? [])
    const refused = answers.find(({ status }: { status: number }) => status !== 200)
    if (refused) throw new Error(`an order was refused: ${JSON.stringify(refused)}`)
    orders += answers.length
    reads += taken.steps.flatMap((step: { reads: unknown[] }) => step.reads).length
  }
  const seconds = (performance.now() - startedMs) / 1000
  const cpuSeconds = (cpuMicros(prepd.pid) - cpuBefore) / 1e6
  await prepd.stop()
  console.log(
    `a day of ${AGENTS} agents, ${orders} orders and ${reads} reads: ${seconds.toFixed(1)} s (aim ${AIM_SECONDS}), ${cpuSeconds.toFixed(1)} s of processor time`,
  )
}

/** The steps of a minute: all agents order, the minute passes, and each reads. */
function minuteOf(agents: readonly TestCaller[], minute: number): readonly object[] {
  const calls = agents.map((agent, at) => order(agent, minute, at))
  return agents.map(({ accountId: account }, at) => ({
    ...(at === 0 ? { ms: MINUTE_MS, calls } : { ms: 0 }),
    ...{ account, reads: READS },
  }))
}

/** A small order, bought and sold in turn. */
function order(agent: TestCaller, minute: number, at: number): object {
  const side = (minute + at) % 2 === 0 ? 'BUY' : 'SELL'
  const terms = { symbol: SYMBOL, order_type: 'MARKET', side, order_quantity: 0.01 }
  // Each is another order, also in the same millisecond.
  const body = JSON.stringify({ ...terms, client_order_id: `${minute}-${at}` })
  return envelope(agent, { method: 'POST', path: '/v1/order', body })
}

if (import.meta.main) await agentsDay()
