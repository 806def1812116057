// Slow: worlds are opened and run, and agents are servers of their own.
import { afterEach, beforeEach, describe, expect, test, vi } from 'bun:test'
import { EVALUATED_AGENT_LIMITS } from '../../../src/contract/venue/evaluated-agent.ts'
import { yieldToEventLoop } from '../../../src/core/loop/guarded.ts'
import { callOf, openLimited, sent, serving, type Terms } from './served-agent.ts'

let here: ReturnType<typeof openLimited>
beforeEach(() => {
  here = openLimited()
})
afterEach(() => void vi.useRealTimers())
afterEach(() => here[Symbol.dispose]())

/** How many steps of five minutes the time of an evaluation has. */
const CALLS = 4

describe('the end of an agent at an address', () => {
  const nothing = () => new Response(null, { status: 202 })
  /** Ends no session, and goes on after its time is over, from which on the test moves the timers. */
  const endless = (answers: unknown[]) => (terms: Terms) => {
    const act = async () => {
      for (let at = 1; answers.length === 0; at += 1) {
        if (at === CALLS) vi.useFakeTimers()
        const answer = await sent(terms, callOf(['advance_clock', { seconds: 300 }], at))
        const { error } = Object(await answer.json())
        if (error) answers.push(error)
      }
    }
    void act()
    return nothing()
  }

  test.each([
    ['refused', '10m', () => new Response(null, { status: 503 }), 'answered with status 503\n'],
    [
      'refused',
      '10m',
      () => Response.redirect('http://127.0.0.1:1/'),
      'answered with status 302\n',
    ],
    ['silent', '50ms', nothing, ''],
  ] as const)('%s is a result of its own', async (outcome, thinkMax, begin, printed) => {
    using agent = serving(begin)
    const lines = `[agent]\nthink_max = "${thinkMax}"\n`
    const { lines: shown } = await here.evaluate(
      'run',
      lines,
      'out',
      '--agent',
      agent.address,
      '--seed',
      '7',
    )
    expect(here.runOf('out')).toMatchObject({
      outcome,
      figures: { finished: 0, calls: 0, endUsdc: 10_000 },
    })
    expect(here.errorsOf('out')).toBe(printed && `${agent.address} ${printed}`)
    expect(shown.join('\n')).toContain(`\n${outcome} on seeds 7: `)
  })

  test('away is that nothing answers there, or no more', async () => {
    using agent = serving((_, stop) => {
      stop()
      return nothing()
    })
    for (const code of ['ECONNRESET', 'ECONNREFUSED']) {
      await here.evaluate('run', '', 'out', '--agent', agent.address, '--seed', '7')
      expect(here.runOf('out')).toMatchObject({ outcome: 'away', figures: { finished: 0 } })
      expect(here.errorsOf('out')).toBe(`${agent.address} cannot be reached: ${code}\n`)
    }
  })

  test('comes with its time: later calls are refused, and one that never ends is not waited for', async () => {
    const answers: unknown[] = []
    using agent = serving(endless(answers))
    let isOver = false
    const run = here.evaluate('run', '', 'out', '--agent', agent.address, '--seed', '7')
    const ended = run.finally(() => {
      isOver = true
    })
    while (!isOver) {
      if (answers.length > 0) vi.advanceTimersByTime(EVALUATED_AGENT_LIMITS.endWaitMs)
      await yieldToEventLoop()
    }
    await ended
    expect(here.runOf('out')).toMatchObject({
      outcome: 'time_over',
      figures: { finished: 1, calls: CALLS },
    })
    expect(answers).toEqual([{ code: -32600, message: 'The time of this evaluation is over.' }])
  })
})

describe('an agent is refused by name', () => {
  test.each([
    [
      'address = "http://agent.example/"',
      'agent.address must be an https URL, or an http one to loopback',
    ],
    ['address = "https://user:pass@agent.example/"', 'agent.address must be an https URL'],
    [
      'address = "https://agent.example/"\nbaseline = "hold"',
      'agent: give one of command, baseline and address',
    ],
    ['address = "https://agent.example/"\nmcp = "http"', 'agent.mcp needs an agent with a command'],
    ['command = ["agent"]\nmcp = "smoke"', 'agent.mcp must be "stdio" or "http"'],
    ['command = ["agent"]\nport = 0', 'agent.port must be a port from 1 to 65535'],
    ['command = ["agent"]\nthink_max = "0s"', 'agent.think_max must be from 1ms to 1d'],
  ])('%s', async (lines, problem) => {
    const { exitCode, lines: printed } = await here.evaluate('run', `[agent]\n${lines}\n`, 'out')
    expect(exitCode).toBe(64)
    expect(printed.join('\n')).toContain(problem)
  })

  test('on the command line too, and so is a port that another program has', async () => {
    const remote = await here.evaluate('run', '', 'out', '--agent', 'http://agent.example/')
    expect(remote.lines[0]).toStartWith('--agent must be an https URL, or an http one to loopback')
    const smoke = await here.evaluate('run', '', 'out', '--agent', 'hold', '--mcp', 'smoke')
    expect(smoke.lines).toEqual(['--mcp must be stdio or http'])
    using agent = serving(() => new Response())
    const { port } = new URL(agent.address)
    const taken = await here.evaluate(
      'run',
      `[agent]\nport = ${port}\n`,
      'out',
      '--agent',
      agent.address,
    )
    expect(taken).toEqual({
      exitCode: 64,
      lines: [`agent.port ${port} cannot be opened: another program may have it`],
    })
  })
})
