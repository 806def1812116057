import type { AnswerAgent } from '../agents/protocol/agent.ts'
import type { StdioOptions } from '../agents/protocol/stdio.ts'
import { BUILD_FACTS } from '../core/build-facts.ts'
import { detached, guarded, reportUnexpected } from '../core/loop/guarded.ts'
import { createTaskQueue } from '../core/loop/task-queue.ts'
import type { World } from '../core/ports.ts'
import type { Settings } from '../core/settings/settings.ts'
import type { PracticeService, StartProgram, WorldAgent } from '../operator/command/command.ts'
import { openFetchSession } from '../upstream/fetch-session.ts'

/**
 * Opens a deterministic service: its embedded venue is in memory and in this thread, so equal calls get equal answers.
 * `world.clock` is its only source of time.
 */
export async function openPracticeService(
  settings: Settings,
  { startVenueThread: _, ...world }: World,
): Promise<PracticeService> {
  const { openDeployment } = await import('./deployment.ts')
  const { openAgentFile } = await import('../store/agent-file.ts')
  const { openAgent } = await import('../agents/protocol/agent.ts')
  const { serveLines } = await import('../agents/protocol/stdio.ts')
  const { listenAgent } = await import('../http/agent/listener.ts')
  const { toolsBefore } = await import('../agents/tools/tools.ts')
  const { front, ops, venueClock, standbys, close } = await openDeployment(
    settings,
    world,
    ':memory:',
    { isStepped: true },
  )
  const shared = openAgentFile(':memory:')
  const agentOptions = ({ credentials: { accountId, secret }, limits, transport }: WorldAgent) => ({
    ...world,
    ...shared,
    transport,
    agent: { apiUrl: null, accountId, secret, limits, stateDir: null, toolGroups: null },
    baseUrl: 'http://localhost',
    venue: 'embedded' as const,
    operatorLimits: {},
    ownsClock: true,
    tools: toolsBefore(true),
    serviceName: settings.serviceName,
    version: BUILD_FACTS.version,
  })
  /** Serializes calls and ignores cancellations, so that a replay of the logged calls gives the same answers. */
  const answerInTurn = (agent: WorldAgent): AnswerAgent => {
    const answer = openAgent(agentOptions(agent))
    const inTurn = createTaskQueue()
    return (message, call, ...rest) =>
      inTurn(() => answer(message, { ...call, cancelled: NEVER_ABORTED }, ...rest))
  }
  return {
    front: async (request) => front(request, '127.0.0.1'),
    ops: async (request) => ops(request, '127.0.0.1'),
    venueClock,
    standbys,
    serveAgent: ({ input, write, unsent, ...agent }) => {
      const inTurn = answerInTurn(agent)
      const answer: StdioOptions['answer'] = async (message, call) => {
        const reply = await inTurn(message, call, null)
        if (call.cancelled.aborted && reply.body) unsent(JSON.stringify(reply.body))
        return reply
      }
      return serveLines({ input, write, answer })
    },
    listenAgent: (agent, terms) => listenAgent(answerInTurn(agent), terms, world.log),
    close,
  }
}

const NEVER_ABORTED = new AbortController().signal

/** Asks an agent at its address to begin, without a timeout. Returns the status. Throws fetch's errors. */
export async function beginAgent(
  address: string,
  terms: object,
  signal: AbortSignal,
): Promise<number> {
  const { fetch } = openFetchSession(new URL(address))
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(terms),
    redirect: 'manual',
    signal,
  })
  await response.body?.cancel()
  return response.status
}

/** Starts a program as the leader of a new process group, with only these variables. */
export const startProgram: StartProgram = (command, variables) => {
  const child = Bun.spawn([...command], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    detached: true,
    env: { ...variables },
  })
  const kill = () => endGroup(child)
  endOnSignals(child, kill)
  return {
    output: child.stdout,
    errors: child.stderr,
    write: async (text) => {
      child.stdin.write(text)
      await child.stdin.flush()
    },
    closeInput: () => void child.stdin.end(),
    exited: child.exited.finally(kill),
    kill,
  }
}

/** Ends a program and its children in the process group; on Windows, only the program. */
function endGroup(child: Bun.Subprocess): void {
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    reportUnexpected('process', error, 'system')
  }
  // Kills the program itself, because Windows has no process groups.
  child.kill('SIGKILL')
}

/** Ends a program when a signal arrives. The signal then has its usual effect on this process. */
function endOnSignals(child: Bun.Subprocess, kill: () => void): void {
  const listeners = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => {
    const end = guarded('process', () => {
      kill()
      leave()
      process.kill(process.pid, signal)
    })
    process.on(signal, end)
    return () => void process.off(signal, end)
  })
  const leave = () => {
    for (const each of listeners) each()
  }
  detached('process', child.exited.then(leave))
}
