import { textOf } from '../settings/files.ts'
import { hostText } from '../settings/listen-address.ts'
import type { Settings } from '../settings/settings.ts'
import type { Entry } from '../settings/sources.ts'
import { printable } from '../settings/usage-error.ts'
import { SETTING_ROWS, type Setting } from '../spec/settings.ts'
import { scenarioProblems } from '../venue/scenario/problems.ts'
import { voucherProblems } from '../voucher/problems.ts'
import { type CommandArguments, type CommandDeps, printMisuse } from './command.ts'
import { aligned } from './help.ts'

/**
 * Checks what the settings name on disk; their own shapes were checked when they were read. Prints `ok` and what
 * would start, or one line a problem. Answers 0 or 64. Opens and creates nothing.
 */
export async function configCheck({ print, settings, files }: CommandDeps): Promise<number> {
  const problems = [
    ...dataDirProblems(settings, files),
    ...voucherProblems(settings, files),
    ...scenarioProblems(settings.venue.scenario, (path) => textOf(files, path)),
  ]
  if (problems.length > 0) return printMisuse(print, ...problems)
  print('ok')
  print(startLine(settings))
  return 0
}

/** Prints each setting with its value in force; `--origin` adds where it came from. Secrets are `set` or `not set`. */
export async function configShow(
  { print, entries }: CommandDeps,
  args: CommandArguments,
): Promise<number> {
  const rows = new Map<string, Setting>(SETTING_ROWS.map((row) => [row.name, row]))
  const cells = entries.map((entry) => [
    entry.name,
    ...(args.has('--origin') ? [entry.origin] : []),
    shown(entry, rows.get(entry.name)?.secret === true),
  ])
  for (const line of aligned(cells)) print(line)
  return 0
}

function dataDirProblems({ dataDir }: Settings, files: CommandDeps['files']): string[] {
  const facts = files.stat(dataDir)
  return facts === null || facts.directory
    ? []
    : [`PREPD_DATA_DIR is not a directory: ${printable(dataDir)}`]
}

function startLine({ listen, venue, dataDir }: Settings): string {
  const at = venue.at === 'embedded' ? 'the embedded venue' : `the live venue ${venue.at.origin}`
  return `http on ${hostText(listen.host)}:${listen.port}, ${at}, data in ${printable(dataDir)}`
}

function shown({ text }: Entry, secret: boolean): string {
  if (text === null) return 'not set'
  return secret ? 'set' : text
}
