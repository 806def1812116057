import { expected } from '../core/loop/guarded.ts'
import { localUrl } from '../settings/listen-address.ts'
import { type CommandArguments, type CommandDeps, printMisuse } from './command/command.ts'
import { READY_FLAG } from './command/flags.ts'

const DEADLINE_MS = 5000

/**
 * Asks the operator's listener of these settings whether the server is alive; with `--ready`, whether its venue answers
 * too. Answers the exit code: 0 when it is, 1 when it is not, 64 when the settings name no such listener.
 */
export async function healthcheck(
  { print, report, settings, world }: CommandDeps,
  args: CommandArguments,
): Promise<0 | 1 | 64> {
  const { opsListen } = settings
  if (opsListen === null || opsListen.port === 0)
    return printMisuse(print, 'PREPD_OPS_LISTEN must name the port of the running server')
  const url = `${localUrl(opsListen)}${args.has(READY_FLAG.flag) ? '/readyz' : '/healthz'}`
  const status = await statusOf(world, url)
  report({ ok: status === 200, url, status }, [
    status === 200 ? 'ok' : `${url}: ${status ?? 'no answer'}`,
  ])
  return status === 200 ? 0 : 1
}

async function statusOf(world: CommandDeps['world'], url: string): Promise<number | null> {
  try {
    const request = new Request(url, { signal: AbortSignal.timeout(DEADLINE_MS) })
    const response = await world.transport(request)
    await response.body?.cancel()
    return response.status
  } catch (error) {
    expected('process', error, Error)
    return null
  }
}
