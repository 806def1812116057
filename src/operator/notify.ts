import type { Message } from '../contract/operator/notify.ts'
import { toHex } from '../core/hex.ts'
import { settingText } from '../core/settings/files.ts'
import type { CommandEnvironment } from './command/command.ts'
import { readNotifyConfig } from './notify/config.ts'
import { sendMessage } from './notify/outbox.ts'

const TITLE = 'This is a test. Notices of this prepd arrive here.'

/**
 * Sends one notice to every target at once. Returns the exit code: 0; 1 if a target failed; 64 without a valid file.
 */
export async function notifyTest({
  files,
  report,
  settings,
  world,
}: CommandEnvironment): Promise<0 | 1> {
  const { targets } = readNotifyConfig(settingText(files, 'PREPD_NOTIFY', settings.notify))
  const nowMs = world.clock.nowMs()
  const message: Message = {
    id: `test-${toHex(world.random.bytes(8))}`,
    atMs: nowMs,
    service: settings.serviceName,
    ...{ instance: 'prepd --mode admin notify test', host: '' },
    notices: [
      {
        ...{ name: 'test', state: 'happened', level: 'warn', title: TITLE, sinceMs: nowMs },
        ...{ figure: '', action: '', command: '' },
      },
    ],
  }
  const results = await Promise.all(
    targets.map(async (target) => ({
      target: target.name,
      fault: await sendMessage(world.transport, target, message, nowMs),
    })),
  )
  const lines = results.map(({ target, fault }) => `${target}: ${fault ?? 'delivered'}`)
  report({ results }, lines)
  return results.every(({ fault }) => fault === null) ? 0 : 1
}
