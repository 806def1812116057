import { Type } from '@sinclair/typebox'
import { createClient } from '../../src/agents/client/client.ts'
import { narrowClient } from '../../src/agents/client/narrow.ts'
import { createFundingTotals } from '../../src/agents/limits/kept-funding.ts'
import type { McpExchange } from '../../src/agents/protocol/protocol.ts'
import type { Tool, ToolContext } from '../../src/agents/tool.ts'
import { STDIO_WORDING } from '../../src/agents/tool.ts'
import { TIMERS } from '../../src/agents/tool-waits.ts'
import { openAgentFile } from '../../src/store/agent-file.ts'

const NOTHING = Type.Object({}, { additionalProperties: false })

/** A tool that runs the given function and nothing else. */
export function fixtureTool(name: string, run: Tool['run'], rest: Partial<Tool> = {}): Tool {
  return {
    name,
    title: name,
    description: `Does ${name}.`,
    arguments: NOTHING,
    annotations: { readOnlyHint: true },
    needsCredentials: false,
    run,
    ...rest,
  }
}

/** A context whose client reaches no service. */
export const CONTEXT: ToolContext = {
  client: narrowClient(
    createClient({
      baseUrl: 'http://localhost',
      transport: () => Promise.reject(new Error('nobody is there')),
      nowMs: () => 0,
    }),
  ),
  credentials: null,
  limits: {},
  operatorLimits: {},
  wording: STDIO_WORDING,
  pageOrigin: null,
  clock: { nowMs: () => 0 },
  venueClock: { nowMs: () => 0 },
  random: { bytes: (length) => new Uint8Array(length) },
  ...openAgentFile(':memory:'),
  fundingTotals: createFundingTotals(),
  beginWait: () => () => undefined,
  timers: TIMERS,
  ownsClock: false,
  audit: () => undefined,
  journal: { begin: async () => async () => undefined },
  isPractice: () => false,
}

/** An exchange over these tools, and the crashes it reported. */
export function exchangeOf(tools: readonly Tool[], rest: Partial<McpExchange> = {}) {
  const crashes: unknown[] = []
  const exchange: McpExchange = {
    tools,
    listed: tools,
    server: { name: 'fixture', version: '1', instructions: 'Read this.' },
    headers: null,
    open: () => ({ context: CONTEXT, absent: ['A', 'B'] }),
    onCrash: (error) => crashes.push(error),
    ...rest,
  }
  return { exchange, crashes }
}
