import { localUrl } from '../core/settings/listen-address.ts'
import { UsageError } from '../core/settings/usage-error.ts'
import { statusAt } from './account/transport.ts'
import type { CommandArguments, CommandEnvironment } from './command/command.ts'
import { READY_FLAG } from './command/flags.ts'

/**
 * Asks the operator's listener of these settings whether the server is alive; with `--ready`, also whether the venue
 * answers. Returns the exit code: 0 if the check passes, 1 if it fails, 64 without an operator's listener.
 */
export async function healthcheck(
  { report, settings, world }: CommandEnvironment,
  args: CommandArguments,
): Promise<0 | 1> {
  const { opsListen } = settings
  if (opsListen === null || opsListen.port === 0)
    throw new UsageError('PREPD_OPS_LISTEN must name the port of the running server')
  const url = `${localUrl(opsListen)}${args.has(READY_FLAG.flag) ? '/readyz' : '/healthz'}`
  const status = await statusAt(world.transport, url)
  report({ ok: status === 200, url, status }, [
    status === 200 ? 'ok' : `${url}: ${status ?? 'no answer'}`,
  ])
  return status === 200 ? 0 : 1
}
