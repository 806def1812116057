import { hostText } from '../settings/listen-address.ts'
import type { Settings } from '../settings/settings.ts'
import { printable } from '../settings/usage-error.ts'
import type { CommandDeps } from './command.ts'
import { voucherProblems } from './voucher/voucher.ts'

/**
 * Checks what the settings name on disk; their own shapes were checked when they were read. Prints `ok` and what
 * would start, or one line a problem. Answers 0 or 64. Opens and creates nothing.
 */
export async function configCheck({ print, settings, files }: CommandDeps): Promise<number> {
  const problems = [...dataDirProblems(settings, files), ...voucherProblems(settings, files)]
  if (problems.length === 0) {
    print('ok')
    print(startLine(settings))
    return 0
  }
  for (const problem of problems) print(problem)
  return 64
}

type Checks = (settings: Settings, files: CommandDeps['files']) => string[]

const dataDirProblems: Checks = ({ dataDir }, files) => {
  const facts = files.stat(dataDir)
  return facts === null || facts.directory
    ? []
    : [`PREPD_DATA_DIR is not a directory: ${printable(dataDir)}`]
}

function startLine({ listen, venue, dataDir }: Settings): string {
  const at = venue.at === 'embedded' ? 'the embedded venue' : `the live venue ${venue.at.origin}`
  return `http on ${hostText(listen.host)}:${listen.port}, ${at}, data in ${printable(dataDir)}`
}
