import { toHex } from '../core/hex.ts'
import { type NotifyConfig, readNotifyConfig } from '../notify/config.ts'
import { faultOf } from '../notify/outbox.ts'
import { textOf, UNREADABLE } from '../settings/files.ts'
import { printable, UsageError } from '../settings/usage-error.ts'
import type { Message } from '../spec/operator/notify.ts'
import type { CommandDeps } from './command/command.ts'

const TITLE = 'This is a test. Notices of this prepd arrive here.'

/** Sends one notice to every target now. Answers the exit code: 0, 1 when a target did not take it, 64 without a sound file. */
export async function notifyTest(deps: CommandDeps): Promise<0 | 1> {
  const { report, settings, world } = deps
  const { targets } = configOf(deps)
  const nowMs = world.clock.nowMs()
  const message: Message = {
    id: `test-${toHex(world.random.bytes(8))}`,
    atMs: nowMs,
    service: settings.serviceName,
    notices: [
      { name: 'test', state: 'happened', level: 'warn', title: TITLE, action: '', sinceMs: nowMs },
    ],
  }
  const results = await Promise.all(
    targets.map(async (target) => ({
      target: target.name,
      fault: await faultOf(world.transport, target, message, nowMs),
    })),
  )
  const lines = results.map(({ target, fault }) => `${target}: ${fault ?? 'delivered'}`)
  report({ results }, lines)
  return results.every(({ fault }) => fault === null) ? 0 : 1
}

function configOf({ settings, files }: CommandDeps): NotifyConfig {
  const path = settings.notify
  if (path === null) throw new UsageError('PREPD_NOTIFY must be set as for the running server')
  const text = textOf(files, path)
  if (text === null) throw new UsageError(`PREPD_NOTIFY ${UNREADABLE}: ${printable(path)}`)
  return readNotifyConfig(text)
}
