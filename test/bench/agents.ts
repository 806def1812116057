/**
 * A day of ten agents on a virtual clock, each with an order and a read a simulated minute: bun test/bench/agents.ts. The
 * build has to be there.
 */

import { DAY_MS, MINUTE_MS } from '../../src/spec/durations.ts'
import { ADVANCE_PATH } from '../../src/spec/venue/advance.ts'
import { envelope, jsonPost, type TestCaller } from '../caller.ts'
import { UNLIMITED } from '../faults/unlimited.ts'
import { newUser, WALLETS } from '../surface/wallets.ts'
import { cpuMicros } from './measure.ts'
import { type Running, startPrepd } from './servers.ts'

const AGENTS = 10
const MINUTES = DAY_MS / MINUTE_MS
const AIM_SECONDS = 10
const SYMBOL = 'PERP_ETH_USDC'
const READS = ['/v1/positions']
const SETTINGS = {
  ...UNLIMITED,
  VENUE_CLOCK: 'virtual',
  VENUE_MARKETS: 'PERP_BTC_USDC,PERP_ETH_USDC',
  OPS_LISTEN: '127.0.0.1:0',
}

/** The orders of a minute are signed calls of their own; one step moves the clock and reads for all agents. */
export async function agentsDay(): Promise<void> {
  const prepd = await startPrepd(SETTINGS, null)
  const target = { fetch: (path: string, init?: RequestInit) => fetch(prepd.url + path, init) }
  const agents: TestCaller[] = []
  for (let agent = 0; agent < AGENTS; agent += 1) agents.push(await newUser(target, WALLETS.viem()))
  const cpuBefore = cpuMicros(prepd.pid)
  const startedMs = performance.now()
  let [orders, answered] = [0, 0]
  for (let minute = 0; minute < MINUTES; minute += 1) {
    const sent = agents.map((agent, at) => placed(prepd, agent, minute, at))
    orders += (await Promise.all(sent)).length
    const steps = agents.map(({ accountId: account }, at) => ({
      ...{ ms: at === 0 ? MINUTE_MS : 0, account, reads: READS },
    }))
    const response = await fetch(prepd.opsUrl + ADVANCE_PATH, jsonPost({ steps }))
    const { steps: taken } = Object(await response.json())
    if (!response.ok) throw new Error(`the clock was not moved: ${await response.text()}`)
    answered += taken.length
  }
  const seconds = (performance.now() - startedMs) / 1000
  const cpuSeconds = (cpuMicros(prepd.pid) - cpuBefore) / 1e6
  await prepd.stop()
  console.log(
    `a day of ${AGENTS} agents, ${orders} orders and ${answered} reads: ${seconds.toFixed(1)} s (aim ${AIM_SECONDS}), ${cpuSeconds.toFixed(1)} s of processor time`,
  )
}

/** A small order, bought and sold in turn. */
async function placed({ url }: Running, agent: TestCaller, minute: number, at: number) {
  const side = (minute + at) % 2 === 0 ? 'BUY' : 'SELL'
  const body = JSON.stringify({ symbol: SYMBOL, order_type: 'MARKET', side, order_quantity: 0.01 })
  const timestamp = String(Date.now())
  const call = { method: 'POST', path: '/v1/order', body, timestamp } as const
  const response = await fetch(`${url}/api/prep/relay`, jsonPost(envelope(agent, call)))
  if (!response.ok) throw new Error(`an order was refused: ${await response.text()}`)
  return response.json()
}

if (import.meta.main) await agentsDay()
