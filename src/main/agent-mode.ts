import { homedir } from 'node:os'
import { join } from 'node:path'
import { ClientFailure, type ServiceTransport } from '../agents/client/client.ts'
import { remoteTransport } from '../agents/client/remote.ts'
import { runAgent } from '../agents/protocol/agent.ts'
import { groupTools, toolsBefore } from '../agents/tools/tools.ts'
import { FAILURES } from '../contract/failures.ts'
import type { VenueKind } from '../contract/venue/kind.ts'
import { BUILD_FACTS } from '../core/build-facts.ts'
import { defaultOnFailure } from '../core/loop/guarded.ts'
import { once } from '../core/loop/once.ts'
import type { World } from '../core/ports.ts'
import { chosenVenueKind } from '../core/settings/venue-settings.ts'
import type { Invocation } from '../settings.ts'
import type { AgentFile } from '../store/agent-file.ts'
import type { ApprovalPage } from './approval-page.ts'
import { logFaults } from './crash.ts'
import type { Deployment } from './deployment.ts'
import { KEYCHAIN, withKey } from './keychain.ts'

type AgentInvocation = Extract<Invocation, { kind: 'run'; mode: 'mcp' }>

/** The service that answers the tools' requests. */
type ReachedService = {
  readonly transport: ServiceTransport
  readonly baseUrl: string
  readonly venue: VenueKind | 'unknown'
  readonly close: () => Promise<void>
}

/** A running agent server. `done` settles at the end of its input; `close` writes the state in memory to the store. */
type AgentServer = { readonly done: Promise<void>; readonly close: () => Promise<void> }

/** Serves MCP over this process's standard streams, for a remote service or a service in this process. */
export async function serveAgent(
  invocation: AgentInvocation,
  world: World,
  stateDir: string,
): Promise<AgentServer> {
  const { settings } = invocation
  const agent = await withKey(invocation.agent, KEYCHAIN)
  logFaults(world.log)
  const place = agent.apiUrl ? remoteService(agent.apiUrl) : createInsideService(invocation, world)
  const served = runAgent({
    ...world,
    ...place,
    agent,
    ...createAgentFile(sharedPath(invocation, agent.stateDir ?? stateDir)),
    // A remote service enforces the limits of the remote operator.
    operatorLimits: agent.apiUrl ? {} : settings.agentLimits,
    ownsClock: mayAgentsMoveClock(invocation),
    tools: agent.toolGroups
      ? groupTools(agent.toolGroups)
      : toolsBefore(mayAgentsMoveClock(invocation)),
    serviceName: settings.serviceName,
    version: BUILD_FACTS.version,
    input: Bun.stdin.stream(),
    write: writeOut,
  })
  return { done: served.then(place.close), close: place.close }
}

/** Whether agents may move the clock of this process's venue. */
function mayAgentsMoveClock({ agent, settings: { venue } }: AgentInvocation): boolean {
  const isVirtual = venue.at === 'embedded' && venue.clock === 'virtual'
  return !agent.apiUrl && isVirtual && venue.clockMover === 'accounts'
}

/** A remote service. */
function remoteService({ href }: URL): ReachedService {
  return {
    transport: remoteTransport(fetch),
    baseUrl: href.replace(/\/$/, ''),
    venue: 'unknown',
    close: async () => undefined,
  }
}

/**
 * A service in this process. The first call that needs the service opens it, so that listing the tools is fast. If
 * opening fails, the next call tries again.
 */
function createInsideService(invocation: AgentInvocation, world: World): ReachedService {
  const inside = once(() => openInside(invocation, world))
  return {
    transport: async (request) => {
      const { front, approvals } = await inside.get()
      return approvals.linked(await front(request, '127.0.0.1'))
    },
    baseUrl: 'http://localhost',
    venue: chosenVenueKind(invocation.settings.venue),
    close: async () => {
      // Ignores a failed opening, because the caller has already received its error.
      const opened = await inside.begun()?.catch(defaultOnFailure('process', undefined, Error))
      await opened?.approvals.close()
      await opened?.close()
    },
  }
}

/** The directory of the user's program state (XDG base directories; on Windows the local application data). */
export function userStateDir({
  XDG_STATE_HOME,
  LOCALAPPDATA,
}: Readonly<Record<string, string | undefined>>): string {
  const base = XDG_STATE_HOME || LOCALAPPDATA || join(homedir(), '.local', 'state')
  return join(base, 'prepd')
}

type SharedRecords = Omit<AgentFile, 'agentJournal'> & {
  readonly agentJournal: Pick<AgentFile['agentJournal'], 'append'>
}

/** The file that the agents of one user share. SQLite is loaded by the first order, since most agents only read. */
function createAgentFile(path: string): SharedRecords {
  const { get } = once(async () => {
    const { openAgentFile } = await import('../store/agent-file.ts')
    return openAgentFile(path)
  })
  const sentOrders = async () => (await get()).sentOrders
  const spending = async () => (await get()).spending
  return {
    sentOrders: {
      claim: async (...given) => (await sentOrders()).claim(...given),
      release: async (...given) => (await sentOrders()).release(...given),
      find: async (...given) => (await sentOrders()).find(...given),
      settle: async (...given) => (await sentOrders()).settle(...given),
    },
    spending: {
      reserve: async (...given) => (await spending()).reserve(...given),
      settle: async (...given) => (await spending()).settle(...given),
      fill: async (...given) => (await spending()).fill(...given),
      release: async (...given) => (await spending()).release(...given),
      prune: async (...given) => (await spending()).prune(...given),
      used: async (...given) => (await spending()).used(...given),
    },
    agentJournal: { append: async (text) => (await get()).agentJournal.append(text) },
  }
}

/**
 * The file of sent orders: for an embedded venue next to the venue's file, otherwise one file for all agents of the
 * user.
 */
function sharedPath({ agent, settings, entries }: AgentInvocation, stateDir: string): string {
  if (agent.apiUrl || settings.venue.at !== 'embedded') return join(stateDir, CLAIMS_NAME)
  return isKept(entries) ? join(settings.dataDir, CLAIMS_NAME) : ':memory:'
}

const CLAIMS_NAME = 'agent-orders.db'

/** Whether the user configured a location for the agent's data. */
function isKept(entries: AgentInvocation['entries']): boolean {
  return entries.some(({ name, origin }) => name === 'DATA_DIR' && origin !== 'default')
}

async function openInside(
  { settings, entries }: AgentInvocation,
  world: World,
): Promise<Deployment & { readonly approvals: ApprovalPage }> {
  const { openDeployment } = await import('./deployment.ts')
  const { createApprovalPage } = await import('./approval-page.ts')
  try {
    // Turns access lines off, because the agent's writes already have audit lines.
    const quiet = { ...settings, log: { ...settings.log, requestsPerSecond: 0 } }
    const opened = await openDeployment(quiet, world, isKept(entries) ? undefined : ':memory:')
    return { ...opened, approvals: createApprovalPage(opened.front, world.log) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown'
    world.log.error('agent.cannot_open', { dataDir: settings.dataDir, reason })
    throw cannotOpen(reason)
  }
}

/** The failure of every tool after a failed opening, with the cause for the user. */
function cannotOpen(reason: string): ClientFailure {
  const { error, status } = FAILURES.not_configured
  const next = `Tell the user that the server could not open its data directory (PREPD_DATA_DIR): ${reason}.`
  return new ClientFailure({
    code: 'not_configured',
    error,
    status,
    meta: { reason: 'data_dir', next },
  })
}

const stdout = Bun.stdout.writer()

/**
 * Writes text to the standard output. Settles once the text has left this process, so that the end of the process loses
 * no output.
 */
async function writeOut(text: string): Promise<void> {
  await stdout.write(text)
  await stdout.flush()
}
