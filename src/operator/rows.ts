import {
  type ActParameter,
  OPERATOR_COMMANDS,
  type OperatorCommand,
} from '../contract/operator/acts.ts'
import { type CommandParameter, VALUE_EXAMPLES } from '../contract/venue/commands.ts'
import { FAULTS } from '../contract/venue/faults.ts'
import type { JournalAct } from './act.ts'
import type { Command, CommandFlag, Operand } from './command/command.ts'
import {
  ACCOUNT_FLAGS,
  BACKUP_FLAGS,
  JOURNAL_FLAG,
  LOGS_FLAGS,
  OFFLINE_FLAG,
  ROTATE_FLAGS,
  VERIFY_FLAGS,
} from './command/flags.ts'

const FILE = (meaning: string): Operand => ({ shown: 'FILE', meaning })

/** Commands for the upkeep of an installation: checks, backups, repairs. */
export const UPKEEP_COMMANDS: readonly Command[] = [
  {
    path: 'doctor',
    summary: 'Look for everything that can be wrong; exit code 1 when something fails.',
    arguments: [],
    run: async (deps) => (await import('./doctor/doctor.ts')).doctorCommand(deps),
  },
  {
    path: 'doctor venue',
    summary: 'Read what the venue answers without a key; list what this release does not know.',
    arguments: [],
    run: async (deps) => (await import('./doctor/doctor.ts')).doctorVenueCommand(deps),
  },
  {
    path: 'notify test',
    summary: 'Send a notice to every target of PREPD_NOTIFY.',
    arguments: [],
    run: async (deps) => (await import('./notify/outbox.ts')).notifyTest(deps),
  },
  {
    path: 'verify',
    summary: 'Check a file of a release against SHA256SUMS and SHA256SUMS.sig beside it.',
    operand: FILE('A file of a release, beside its SHA256SUMS.'),
    example: 'prepd-1.2.3-linux-x64.tar.xz',
    arguments: [VERIFY_FLAGS.signers],
    onDefaults: true,
    run: async (deps, args) => (await import('./verify.ts')).verifyCommand(deps, args),
  },
  {
    path: 'backup',
    summary: 'Copy the store of the data directory while prepd runs, and check the copy.',
    operand: FILE('A new file, mode 0600.'),
    example: 'before.db',
    arguments: [],
    run: async (deps, args) => (await import('./backup.ts')).backupCommand(deps, args),
  },
  {
    path: 'restore',
    summary: 'Put a backup into a data directory without a store, readable only by its owner.',
    operand: FILE('A copy of backup; with PREPD_BACKUP a file, s3://BUCKET/NAME, or latest.'),
    example: 'latest --identity backup-key.txt',
    arguments: [BACKUP_FLAGS.identity],
    run: async (deps, args) => (await import('./backup.ts')).restoreCommand(deps, args),
  },
  {
    path: 'backups make',
    summary: 'Make a backup as PREPD_BACKUP says; open what is kept again and check it.',
    arguments: [BACKUP_FLAGS.first],
    run: async (deps, args) => (await import('./backups.ts')).backupsMake(deps, args),
  },
  {
    path: 'backups list',
    summary: 'List the backups of PREPD_BACKUP, the newest first.',
    arguments: [],
    run: async (deps, args) => (await import('./backups.ts')).backupsList(deps, args),
  },
  {
    path: 'backups drill',
    summary: 'Restore the last backup into a scratch folder with your key, and compare it.',
    arguments: [BACKUP_FLAGS.identity],
    example: '--identity backup-key.txt',
    run: async (deps, args) => (await import('./backups.ts')).backupsDrill(deps, args),
  },
  {
    path: 'backups key',
    summary: 'Make the key that opens backups; show its recipient for PREPD_BACKUP.',
    operand: FILE('A new file, mode 0600; lost, it opens no backup any more.'),
    example: 'backup-key.txt',
    arguments: [],
    run: async (deps, args) => (await import('./backups.ts')).backupsKey(deps, args),
  },
  {
    path: 'db check',
    summary: 'Read every page of the store.',
    arguments: [],
    run: async (deps, args) => (await import('./backup.ts')).dbCheckCommand(deps, args),
  },
  {
    path: 'db vacuum',
    summary: 'Write the store anew without its gaps, while no prepd runs.',
    arguments: [],
    run: async (deps, args) => (await import('./backup.ts')).dbVacuumCommand(deps, args),
  },
  {
    path: 'rotate operator',
    summary: 'Put a new operator key before the one in a file; prepd accepts both until --finish.',
    operand: FILE('The file of PREPD_OPERATOR_KEY_FILE.'),
    example: '/etc/credstore/prepd.operator_key',
    arguments: [ROTATE_FLAGS.finish],
    run: async (deps, args) => (await import('./rotate.ts')).rotateOperator(deps, args),
  },
  {
    path: 'rotate affiliate',
    summary: "Begin to bind a new trading key of the operator's venue account.",
    arguments: [ACCOUNT_FLAGS.url, ACCOUNT_FLAGS.wallet, ACCOUNT_FLAGS.out],
    run: async (deps, args) => (await import('./rotate.ts')).rotateAffiliate(deps, args),
  },
  {
    path: 'rotate voucher',
    summary: 'Make a new voucher key; show how it takes over.',
    operand: FILE('A new file, mode 0600.'),
    example: 'voucher-key-2',
    arguments: [],
    run: async (deps, args) => (await import('./rotate.ts')).rotateVoucher(deps, args),
  },
  {
    path: 'explain',
    summary: 'Take a relay envelope through the gates without sending it.',
    operand: FILE('The JSON body of POST /api/prep/relay; - is what is piped in.'),
    example: 'envelope.json',
    arguments: [],
    run: async (deps, args) => (await import('./explain.ts')).explainCommand(deps, args),
  },
  {
    path: 'logs explain',
    summary: 'Find the relayed calls of an account around a time in a log.',
    operand: FILE('The log, as prepd or a journal wrote it; - is what is piped in.'),
    arguments: Object.values(LOGS_FLAGS),
    required: [LOGS_FLAGS.account.flag, LOGS_FLAGS.at.flag],
    example: `prepd.log --account 0x${'00'.repeat(32)} --at 2026-01-01T12:00:00Z`,
    run: async (deps, args) => (await import('./logs.ts')).logsExplain(deps, args),
  },
  {
    path: 'scrub test',
    summary: "Show what callers get of a venue's JSON.",
    operand: FILE('The JSON; - is what is piped in.'),
    example: 'answer.json',
    arguments: [],
    run: async (deps, args) => (await import('./explain.ts')).scrubTestCommand(deps, args),
  },
]

const FAULT_MEANINGS = Object.fromEntries(
  Object.entries(FAULTS).map(([kind, { meaning }]) => [kind, meaning]),
)

/** Placeholders of parameters whose placeholder is not their name. */
const SHOWN: Readonly<Record<string, string>> = {
  identity: 'HEX',
  rows: 'COUNT',
  sentence: 'TEXT',
  witness: 'PLACE',
}

/** The commands for operator actions on a running server, or on a data directory without a server. */
export const ACT_COMMANDS: readonly Command[] = commandsOn('prepd')

/** The commands for the embedded venue of a running server. */
export const VENUE_ROWS: readonly Command[] = commandsOn('venue')

function commandsOn(on: OperatorCommand['on']): readonly Command[] {
  return OPERATOR_COMMANDS.filter((row) => row.on === on).flatMap(toCommand)
}

function toCommand(row: OperatorCommand): Command[] {
  const { command, summary } = row
  if (command === null) return []
  const parameters = Object.entries<ActParameter | CommandParameter>(row.parameters)
  const required = parameters.filter(([, { optional }]) => optional !== true)
  const examples = required.map(([name, parameter]) => `--${name} ${shellExample(parameter)}`)
  if (row.on === 'venue' && row.example) examples.push(row.example)
  return [
    {
      path: command,
      summary,
      required: required.map(([name]) => `--${name}`),
      example: examples.join(' '),
      arguments: [...targetFlags(row), ...parameters.map(toFlag)],
      run: async (deps, args) => {
        const { journalCommand, operatorCommand } = await import('./act.ts')
        return isJournalAct(row.name)
          ? journalCommand(row.name, deps, args)
          : operatorCommand(row, deps, args)
      },
    },
  ]
}

function targetFlags({ on, name }: OperatorCommand): readonly CommandFlag[] {
  if (on === 'venue') return [ACCOUNT_FLAGS.url]
  return [ACCOUNT_FLAGS.opsUrl, OFFLINE_FLAG, ...(isJournalAct(name) ? [JOURNAL_FLAG] : [])]
}

/** The flag for a parameter: `--rows COUNT`. */
function toFlag([name, parameter]: [string, ActParameter | CommandParameter]): CommandFlag {
  return {
    flag: `--${name}`,
    value: { shown: SHOWN[name] ?? name.toUpperCase() },
    meaning: parameter.meaning,
    ...('kind' in parameter && parameter.kind === 'fault' && { values: FAULT_MEANINGS }),
  }
}

/** The example of a parameter, quoted for a shell. */
function shellExample(parameter: ActParameter | CommandParameter): string {
  if ('kind' in parameter) return VALUE_EXAMPLES[parameter.kind]
  const { example } = parameter
  return /^[\w./:-]+$/.test(example) ? example : `'${example}'`
}

function isJournalAct(name: OperatorCommand['name']): name is JournalAct {
  return name === 'listAgentWrites' || name === 'verifyAgentWrites'
}
