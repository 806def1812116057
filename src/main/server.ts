import { LIMITS } from '../contract/limits.ts'
import type { SettingName } from '../contract/settings.ts'
import { BUILD_FACTS } from '../core/build-facts.ts'
import { crashFields, type LogLevel } from '../core/log.ts'
import { every } from '../core/loop/guarded.ts'
import type { Log, World } from '../core/ports.ts'
import { hostText, type ListenAddress } from '../core/settings/listen-address.ts'
import type { Configured, Settings } from '../core/settings/settings.ts'
import { OPS_PATHS } from '../http/operator/acts.ts'
import { OPERATOR_PATHS } from '../http/operator/operator.ts'
import { type Listener, listen, type Tls } from '../http/server/server.ts'
import { type Deployment, openDeployment } from './deployment.ts'
import { createReloader, readTls } from './reload.ts'
import { starting } from './start-error.ts'
import { createNotify, startWatchdog } from './systemd-notify.ts'

/** A running server. */
type Server = {
  /** Lines for the terminal with the server's addresses. */
  readonly lines: readonly string[]
  /** Notifies systemd that the server answers, and logs it. */
  readonly ready: () => void
  /** Reads the settings again and applies changes. */
  readonly reload: () => Promise<void>
  /**
   * Graceful drain: finishes the requests in flight, within the configured grace period on SIGTERM, and closes
   * everything.
   */
  readonly stop: (signal: 'SIGTERM' | 'SIGINT') => Promise<void>
}

/** The parts of the process that the server uses. */
type ServerProcess = {
  readonly setLogLevel: (level: LogLevel) => void
  /** Reads the settings again. Throws UsageError if they have become invalid. */
  readonly readAgain: () => Configured
  readonly pid: number
  /** The process's parameters from systemd, if systemd started it. */
  readonly unit: Readonly<
    Record<'NOTIFY_SOCKET' | 'WATCHDOG_USEC' | 'WATCHDOG_PID', string | undefined>
  >
}

/** Opens the HTTP server: certificate, everything behind the listeners, listeners, reload. Throws StartError. */
export async function openServer(
  first: Configured,
  world: World,
  { setLogLevel, readAgain, pid, unit }: ServerProcess,
): Promise<Server> {
  const { settings } = first
  const { log } = world
  let { operatorKeys } = settings
  const tls = await readTls(settings)
  const changing = { setLogLevel, operatorKeys: () => operatorKeys, entries: first.entries }
  const deployment = await openDeployment(settings, world, undefined, changing)
  const listeners = await openListeners(settings, deployment, { tls, log })
  const reloader = createReloader({
    ...{ ...world, first, tls, read: readAgain, setLevel: setLogLevel, renew: listeners.renew },
    setOperatorKeys: (keys) => {
      operatorKeys = keys
    },
  })
  if (tls) every('process', LIMITS.tlsLookMs, reloader.lookAtTls)
  const notify = createNotify(unit.NOTIFY_SOCKET)
  startWatchdog(notify, { microseconds: unit.WATCHDOG_USEC, pid: unit.WATCHDOG_PID }, pid)
  return {
    lines: listeners.lines,
    ready: () => {
      notify('READY=1')
      const { url, ops } = listeners
      log.info('start', { url, ops, venue: deployment.venue, version: BUILD_FACTS.version })
    },
    reload: reloader.reload,
    stop: async (signal) => {
      notify('STOPPING=1')
      if (signal === 'SIGTERM') await listeners.drain(settings.stopGraceMs)
      await deployment.endStreams()
      await Promise.race([listeners.stop(), Bun.sleep(LIMITS.stopDeadlineMs)])
      await deployment.close()
      log.info('stop')
    },
  }
}

/** The open listeners of a server. */
type Listeners = {
  readonly url: string
  readonly ops: string | undefined
  /** The addresses, one per line. */
  readonly lines: readonly string[]
  /** Switches to a new certificate. Requests in flight are finished; idle and half-open connections are closed. */
  readonly renew: (tls: Tls) => void
  readonly stop: () => Promise<unknown>
  /**
   * Reports on /readyz that this process is stopping, and waits for the grace period. In this period each answer closes
   * its public connection. With `graceMs` 0 it does nothing.
   */
  readonly drain: (graceMs: number) => Promise<void>
}

/** Opens the public listener and the operator's listener. Throws StartError if one cannot be opened. */
async function openListeners(
  { listen: at, opsListen, page, venue }: Pick<Settings, 'listen' | 'opsListen' | 'page' | 'venue'>,
  deployment: Pick<
    Deployment,
    'front' | 'direct' | 'ops' | 'sockets' | 'venueUrl' | 'drain' | 'showCertificate'
  >,
  { tls, log }: { readonly tls: Tls | null; readonly log: Log },
): Promise<Listeners> {
  const onCrash = (error: unknown): void => log.error('crash', crashFields(error))
  const openPublic = (port: number, pair: Tls | null): Listener =>
    listen({ hostname: at.host, port, tls: pair ?? undefined }, deployment.front, {
      onCrash,
      operatorPaths: OPERATOR_PATHS,
      direct: deployment.direct,
      sockets: deployment.sockets,
    })
  let open = await opened('LISTEN', at, () => openPublic(at.port, tls))
  if (tls) deployment.showCertificate(tls.endMs)
  const ops = opsListen
    ? await opened('OPS_LISTEN', opsListen, () =>
        listen({ hostname: opsListen.host, port: opsListen.port }, deployment.ops, {
          onCrash,
          operatorPaths: OPS_PATHS,
        }),
      )
    : null
  const ending: Promise<void>[] = []
  return {
    url: open.url,
    ops: ops?.url,
    lines: startLines(open.url, page, ops?.url, deployment.venueUrl, venue),
    renew: (pair) => {
      // Releases and binds the port in the same turn of the event loop, so no connection is refused.
      ending.push(open.stop())
      open = openPublic(open.port, pair)
      deployment.showCertificate(pair.endMs)
    },
    drain: async (graceMs) => {
      if (graceMs === 0) return
      deployment.drain()
      open.endConnections()
      await Bun.sleep(graceMs)
    },
    stop: () => Promise.all([open.stop(), ops?.stop(), ...ending]),
  }
}

function opened(
  setting: SettingName,
  { host, port }: ListenAddress,
  open: () => Listener,
): Promise<Listener> {
  return starting(setting, `${hostText(host)}:${port}`, open)
}

function startLines(
  url: string,
  page: boolean,
  ops: string | undefined,
  venueUrl: string | null,
  { paperOf, stream }: Settings['venue'],
): string[] {
  return [
    `prepd listening on ${url}`,
    `reference: ${url}/swagger`,
    ...(page ? [`trading page: ${url}/trade`] : []),
    ...(ops ? [`console: ${ops}/`] : []),
    ...(venueUrl ? [`wire of the embedded venue: ${venueUrl}`] : []),
    ...(stream === null ? ['live data: off (PREPD_VENUE_STREAM)'] : []),
    ...(paperOf ? [`practice on the markets of ${paperOf.origin}: no order reaches it`] : []),
  ]
}
