import { textOf, UNREADABLE } from '../../settings/files.ts'
import { printable, UsageError } from '../../settings/usage-error.ts'
import { readVoucherConfig } from '../../voucher/config-file.ts'
import type { CommandArguments, CommandDeps } from '../command.ts'
import { TOUR_FLAGS } from './flags.ts'
import { isLocalUrl, localNode } from './local-node.ts'
import type { VoucherGround } from './voucher.ts'

/**
 * Where the tour makes a voucher; null when no nodes are given. Throws UsageError when only one is, when one is not
 * of this machine, or when the settings name no sound VOUCHER file.
 */
export function voucherGround(
  { settings, files, world }: CommandDeps,
  args: CommandArguments,
): VoucherGround | null {
  const [source, destination] = [nodeUrl(args, 'source'), nodeUrl(args, 'destination')]
  if (source === undefined && destination === undefined) return null
  if (source === undefined || destination === undefined) {
    const flags = Object.values(TOUR_FLAGS).map(({ flag }) => flag)
    throw new UsageError(`${flags.join(' and ')} go together: give both or neither`)
  }
  const { transport, sleep } = world
  return {
    config: readVoucherConfig(fileText(settings.voucher.path, files)),
    source: localNode({ url: source, name: 'source node', transport, sleep }),
    destination: localNode({ url: destination, name: 'destination node', transport, sleep }),
  }
}

function nodeUrl(args: CommandArguments, end: keyof typeof TOUR_FLAGS): string | undefined {
  const { flag } = TOUR_FLAGS[end]
  const url = args.get(flag)
  if (url !== undefined && !isLocalUrl(url)) {
    throw new UsageError(`${flag} must be a node on this machine: its host a loopback address`)
  }
  return url
}

function fileText(path: string | null, files: CommandDeps['files']): string {
  if (path === null) throw new UsageError('PREPD_VOUCHER must be set as for the running server')
  const text = textOf(files, path)
  if (text !== null) return text
  throw new UsageError(`PREPD_VOUCHER ${UNREADABLE}: ${printable(path)}`)
}
