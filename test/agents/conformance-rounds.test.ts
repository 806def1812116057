// Slow: each scenario of the official suite is a process of its own.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { answer } from '../../src/agents/protocol/protocol.ts'
import { CLIENT_CAPABILITIES } from '../../src/agents/protocol/versions.ts'
import { ToolFailure } from '../../src/agents/tool.ts'
import { exchangeOf, fixtureTool } from './fixture.ts'

const PROGRAM = join(import.meta.dir, '../../node_modules/conformance-next/dist/index.js')

/** A tool that needs so many answers of its user before it is done. */
function asking(name: string, rounds: number) {
  return fixtureTool(`test_input_required_result_${name}`, async (_, { round = 1 }) => {
    if (Number(round) > rounds) return 'state-ok'
    const link = `https://localhost/approve/${round}`
    const meta = { link, state: 'waiting', order: [name], again: { round: Number(round) + 1 } }
    throw new ToolFailure({ error: 'Not yet.', code: 'approval_required', meta })
  })
}

const { exchange } = exchangeOf([
  ...['elicitation', 'request_state', 'tampered_state'].map((name) => asking(name, 1)),
  asking('multi_round', 2),
])

/**
 * What the official suite checks of questions to the user alone, and how many checks of each succeed. Of its others,
 * ignore-extra-params wants an answer to be trusted without its state, non-tool-request wants prompts, and capability-check,
 * basic-sampling, basic-list-roots and multiple-input-requests want sampling or roots: the server has none of these.
 */
const SCENARIOS = {
  'basic-elicitation': 2,
  'validate-input': 2,
  'unsupported-methods': 1,
  'request-state': 2,
  'multi-round': 3,
  'missing-input-response': 1,
  'result-type': 1,
  'tampered-state': 1,
} as const

const folder = mkdtempSync(join(tmpdir(), 'prepd-rounds-'))
let server: ReturnType<typeof Bun.serve>
beforeAll(() => {
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: serve })
})
afterAll(async () => {
  await server.stop(true)
  rmSync(folder, { recursive: true })
})

/** The name of the handler's question, and the one that the suite looks for. */
const [QUESTION, NAMED] = ['approval', 'user_name'] as const

/**
 * The handler asks to open links; the suite's client, which answers any question, does not say that it opens them, and
 * gives some answers under a name that it chose.
 */
async function serve(request: Request): Promise<Response> {
  const message = Object(await request.json())
  rename(message.params?.inputResponses, NAMED, QUESTION)
  const capabilities = Object(message.params?._meta)[CLIENT_CAPABILITIES]
  if (Object(capabilities).elicitation) capabilities.elicitation = { url: {} }
  const headers = (name: string) => request.headers.get(name)
  const { status, body } = await answer(message, { ...exchange, headers })
  rename(Object(body).result?.inputRequests, QUESTION, NAMED)
  return Response.json(body, { status })
}

function rename(held: unknown, from: string, to: string): void {
  const entries = Object(held)
  if (!Object.hasOwn(entries, from)) return
  entries[to] = entries[from]
  delete entries[from]
}

test.each(Object.entries(SCENARIOS))(
  'the official scenario %s passes against the handler with tools that ask',
  async (name, checks) => {
    const out = join(folder, name)
    const url = `http://127.0.0.1:${server.port}/mcp`
    const scenario = ['--scenario', `input-required-result-${name}`, '-o', out]
    const version = ['--spec-version', '2026-07-28']
    const child = Bun.spawn(
      [process.execPath, PROGRAM, 'server', '--url', url, ...scenario, ...version],
      { cwd: folder, env: { ...process.env, HOME: folder }, stdout: 'ignore', stderr: 'ignore' },
    )
    expect(await child.exited).toBe(0)
    const [run = ''] = readdirSync(out)
    const found: { status: string }[] = JSON.parse(
      readFileSync(join(out, run, 'checks.json'), 'utf8'),
    )
    const rest = found.filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO')
    expect(rest).toEqual([])
    expect(found.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThanOrEqual(checks)
  },
)
