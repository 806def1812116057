import { writeJournal } from '../../src/agents/audit.ts'
import { type Client, type Credentials, createClient } from '../../src/agents/client/client.ts'
import { type AgentClient, narrowClient } from '../../src/agents/client/narrow.ts'
import { recordEach } from '../../src/agents/journal-shares.ts'
import { createFundingTotals } from '../../src/agents/limits/kept-funding.ts'
import { watchedVenue } from '../../src/agents/practice.ts'
import type { AuditLine, Timers, ToolContext } from '../../src/agents/tool.ts'
import { STDIO_WORDING, ToolFailure } from '../../src/agents/tool.ts'
import { createToolWaits } from '../../src/agents/tool-waits.ts'
import { toolsBefore } from '../../src/agents/tools/tools.ts'
import type { AgentJournal } from '../../src/core/agent-journal.ts'
import { isObject } from '../../src/core/json.ts'
import { openTemporaryAccount } from '../../src/operator/account/open.ts'
import { openAgentFile } from '../../src/store/agent-file.ts'
import { newCaller } from '../caller.ts'
import { openTarget, type Target, type TargetSettings } from '../target.ts'

/** One signed request as it left for the service. */
export type Sent = { readonly method: string; readonly path: string; readonly body?: string }

// biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what is being tested
export type Loose = any

/** Tools of one account, in front of a prepd of their own. */
export type ToolWorld = {
  readonly client: AgentClient
  readonly credentials: Credentials
  /** Every signed request so far, oldest first. */
  readonly sent: Sent[]
  readonly audit: AuditLine[]
  readonly journal: AgentJournal
  /** Runs a tool. Rejects with what it throws. */
  readonly call: (name: string, args?: object, changes?: Partial<ToolContext>) => Promise<Loose>
  /** Runs a tool that must fail. Rejects when it does not. */
  readonly refused: (
    name: string,
    args?: object,
    changes?: Partial<ToolContext>,
  ) => Promise<ToolFailure & { readonly meta: Loose }>
  /** The service itself, for clients of their own. */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>
  /** The operator's listener of the service. */
  readonly ops: (path: string, init?: RequestInit) => Promise<Response>
  /** The tools of a new account in front of the same prepd, which only this world stops. */
  readonly another: () => Promise<ToolWorld>
  readonly stop: () => Promise<void>
}

/** Opens a world on the embedded venue at a stopped clock, with a funded account. */
export async function openEmbeddedWorld(settings: TargetSettings = {}): Promise<ToolWorld> {
  return openWorld({ VENUE_CLOCK: 'virtual', ...settings }, (client) =>
    openTemporaryAccount(client, {
      clock: { nowMs: Date.now },
      random: { bytes: randomBytes },
    }),
  )
}

/** Opens a world whose venue is a recording upstream. */
export async function openRecordedWorld(
  venueUrl: string,
  settings: TargetSettings = {},
): Promise<ToolWorld> {
  return openWorld({ VENUE: venueUrl, ...settings }, async () => newCaller())
}

async function openWorld(
  settings: TargetSettings,
  account: (client: Client) => Promise<Credentials>,
): Promise<ToolWorld> {
  return worldOn(await openTarget('in process', settings), account)
}

async function worldOn(
  target: Target,
  account: (client: Client) => Promise<Credentials>,
): Promise<ToolWorld> {
  const sent: Sent[] = []
  const audit: AuditLine[] = []
  const clock = { nowMs: () => 1_700_000_000_000 }
  const { agentJournal: journal, ...records } = openAgentFile(':memory:')
  const { transport, isPractice, venueClock } = watchedVenue(
    async (request) => {
      const body = await request.text()
      note(sent, body)
      const path = request.url.slice('http://localhost'.length)
      const { method, headers } = request
      return target.fetch(path, { method, headers, ...(body && { body }) })
    },
    clock,
    false,
  )
  const client = createClient({ baseUrl: 'http://localhost', nowMs: Date.now, transport })
  const credentials = await account(client)
  const context: ToolContext = {
    // As both transports do: a tool that needs a path the list lacks fails here too.
    client: narrowClient(client),
    credentials,
    limits: {},
    operatorLimits: {},
    wording: STDIO_WORDING,
    pageOrigin: null,
    clock,
    venueClock,
    random: { bytes: randomBytes },
    ...records,
    fundingTotals: createFundingTotals(),
    beginWait: createToolWaits({ nowMs: Date.now }).of('test'),
    timers: virtualTimers(),
    ownsClock: false,
    audit: (line) => audit.push(line),
    journal: writeJournal({ record: recordEach(journal, clock), isProven: async () => true }),
    isPractice,
  }
  const call: ToolWorld['call'] = (name, args = {}, changes = {}) => {
    return toolNamed(name).run({ ...context, ...changes }, { ...args })
  }
  return {
    client: { ...client, consented: client.relay },
    credentials,
    sent,
    audit,
    journal,
    call,
    refused: async (name, args, changes) => {
      const failure = await call(name, args, changes).then(answered, (error: unknown) => error)
      if (failure instanceof ToolFailure) return failure
      throw failure
    },
    fetch: target.fetch,
    ops: target.ops,
    another: () => worldOn(target, account),
    stop: target.stop,
  }
}

/** Sent orders and spending of agents that nobody else shares. */
export function newRecords(): Records {
  const { spending, sentOrders } = openAgentFile(':memory:')
  return { spending, sentOrders }
}

type Records = Pick<ToolContext, 'spending' | 'sentOrders'>

/** USDC that orders of the last 24 hours used, as get_limits says. */
export async function usedToday(
  { call }: ToolWorld,
  { spending, sentOrders }: Records,
): Promise<number> {
  const changes = { spending, sentOrders, limits: { maxDailyUsdc: 10n ** 15n } }
  return (await call('get_limits', {}, changes)).limits[0].used
}

/** Writes that were signed and sent while `run` ran. */
export async function writesDuring(
  { sent }: ToolWorld,
  run: () => Promise<unknown>,
): Promise<readonly Sent[]> {
  const from = sent.length
  await run()
  return sent.slice(from).filter(({ method }) => method !== 'GET')
}

export function toolNamed(name: string) {
  const tool = toolsBefore(true).find((row) => row.name === name)
  if (!tool) throw new Error(`no tool ${name}`)
  return tool
}

/** Timers of a time that passes in sleeps alone, which end at once, and by `pass`. */
export function virtualTimers(): Timers & { readonly pass: (ms: number) => void } {
  let nowMs = 0
  const deadlines = new Map<AbortController, number>()
  function pass(ms: number): void {
    nowMs += ms
    for (const [deadline, atMs] of deadlines) {
      if (atMs > nowMs) continue
      deadlines.delete(deadline)
      deadline.abort()
    }
  }
  return {
    pass,
    sleep: async (ms) => pass(ms),
    deadline: (ms) => {
      const deadline = new AbortController()
      deadlines.set(deadline, nowMs + ms)
      return deadline.signal
    },
  }
}

function randomBytes(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length))
}

function answered(value: unknown): Error {
  return new Error(`expected a failure, got ${JSON.stringify(value)}`)
}

function note(sent: Sent[], text: string): void {
  const envelope: unknown = text ? JSON.parse(text) : null
  if (!isObject(envelope) || !isObject(envelope['auth'])) return
  const { method, path, body } = envelope
  sent.push({
    method: String(method),
    path: String(path),
    ...(typeof body === 'string' && { body }),
  })
}
