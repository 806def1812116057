import { BUILD_FACTS } from '../core/build-facts.ts'
import { UsageError } from '../core/settings/usage-error.ts'
import type { ACCOUNT_COMMANDS } from './account/account.ts'
import type { Command, CommandFlag } from './command/command.ts'
import {
  ACCOUNT_FLAGS,
  LIMIT_FLAGS,
  READY_FLAG,
  TOUR_FLAGS,
  VOUCHER_FLAGS,
} from './command/flags.ts'
import { ACT_COMMANDS, UPKEEP_COMMANDS, VENUE_ROWS } from './rows.ts'
import type { VOUCHER_COMMANDS } from './voucher/voucher.ts'

/** All commands in display order, including the given commands of other rooms. */
export function commandRows(added: readonly Command[]): readonly Command[] {
  return [
    ...serverRows(),
    ...accountRows(),
    ...venueRows(),
    ...added,
    ...voucherRows(),
    ...UPKEEP_COMMANDS,
    ...ACT_COMMANDS,
    ...shellRows(),
  ]
}

const serverRows = (): readonly Command[] => [
  {
    path: 'help',
    summary: 'List these commands.',
    arguments: [],
    onDefaults: true,
    run: async ({ print, commands }) => {
      const { commandLines } = await import('./command/help.ts')
      for (const line of commandLines(commands)) print(line)
      return 0
    },
  },
  {
    path: 'config check',
    summary: 'Check every setting and the files they name.',
    arguments: [],
    run: async (deps) => (await import('./config.ts')).configCheck(deps),
  },
  {
    path: 'config show',
    summary: 'Show every setting; secrets are masked.',
    arguments: [{ flag: '--origin', meaning: 'Also show where each value came from.' }],
    run: async (deps, args) => (await import('./config.ts')).configShow(deps, args),
  },
  {
    path: 'healthcheck',
    summary: 'Ask the running server of these settings whether it is alive: exit code 0 or 1.',
    arguments: [READY_FLAG],
    run: async (deps, args) => (await import('./healthcheck.ts')).healthcheck(deps, args),
  },
  {
    path: 'tour',
    summary: "Walk a user's journey on a running server, with throw-away keys.",
    arguments: [ACCOUNT_FLAGS.url, TOUR_FLAGS.source, TOUR_FLAGS.destination],
    run: async (deps, args) => (await import('./tour/tour.ts')).tourCommand(deps, args),
  },
]

const ANY_HASH = `0x${'00'.repeat(32)}`
const ONE_ACCOUNT = {
  required: [ACCOUNT_FLAGS.account.flag],
  example: `${ACCOUNT_FLAGS.account.flag} ${ANY_HASH}`,
}
const ONE_DEPOSIT = {
  required: [VOUCHER_FLAGS.deposit.flag],
  example: `${VOUCHER_FLAGS.deposit.flag} ${ANY_HASH}`,
}

const accountRows = (): readonly Command[] => [
  {
    ...accountRow(
      'create',
      'Open an account with a throw-away wallet and key; show how to use it.',
      [
        ACCOUNT_FLAGS.deposit,
        ACCOUNT_FLAGS.out,
        ACCOUNT_FLAGS.keychain,
        ACCOUNT_FLAGS.agent,
        ACCOUNT_FLAGS.replace,
        ACCOUNT_FLAGS.dryRun,
        ACCOUNT_FLAGS.wallet,
        ...LIMIT_FLAGS,
      ],
    ),
    example: '--agent cursor --max-order-usdc 100',
  },
  accountRow('bind', 'Go on with an account of a live venue, whose owner signs.', [
    ACCOUNT_FLAGS.out,
    ACCOUNT_FLAGS.keychain,
    ACCOUNT_FLAGS.wallet,
    ACCOUNT_FLAGS.signature,
    ACCOUNT_FLAGS.agent,
    ACCOUNT_FLAGS.replace,
    ...LIMIT_FLAGS,
  ]),
  accountRow('list', 'List the accounts of an embedded venue, the newest first.', []),
  {
    ...accountRow('show', 'Show one account of an embedded venue.', [ACCOUNT_FLAGS.account]),
    ...ONE_ACCOUNT,
  },
  {
    ...accountRow('fund', 'Credit practice money to an account of an embedded venue.', [
      ACCOUNT_FLAGS.account,
      ACCOUNT_FLAGS.usdc,
      ACCOUNT_FLAGS.token,
      ACCOUNT_FLAGS.amount,
    ]),
    ...ONE_ACCOUNT,
    example: `${ONE_ACCOUNT.example} --usdc 1000`,
  },
]

const venueRows = (): readonly Command[] => [
  {
    path: 'venue operator',
    summary: "Open the operator's account on a running embedded venue; print its settings.",
    arguments: [ACCOUNT_FLAGS.url],
    run: async (deps, args) => (await import('./venue.ts')).venueOperator(deps, args),
  },
  {
    path: 'venue promote',
    summary: 'Make an account of a running embedded venue a first-level affiliate.',
    arguments: [ACCOUNT_FLAGS.url, ACCOUNT_FLAGS.account],
    ...ONE_ACCOUNT,
    run: async (deps, args) => (await import('./venue.ts')).venuePromote(deps, args),
  },
  ...VENUE_ROWS,
  {
    path: 'venue fidelity',
    summary: 'Show how the embedded venue models or simplifies the live venue.',
    arguments: [],
    onDefaults: true,
    run: async (deps) => (await import('./venue.ts')).venueFidelity(deps),
  },
]

const voucherRows = (): readonly Command[] => [
  voucherRow('list', 'List vouchers, the newest first.', [VOUCHER_FLAGS.rows]),
  {
    ...voucherRow('show', 'Show all that is known of one voucher but its signature.', [
      VOUCHER_FLAGS.deposit,
    ]),
    ...ONE_DEPOSIT,
  },
  voucherRow('pause', 'Stop signing and answering vouchers; a running server obeys.', []),
  voucherRow('resume', 'Sign vouchers again.', []),
  voucherRow('audit', 'List what was done with vouchers, the newest first.', [
    VOUCHER_FLAGS.rows,
    VOUCHER_FLAGS.deposit,
  ]),
  {
    ...voucherRow('release', 'End the hold of a deposit, once it is clear that it was not paid.', [
      VOUCHER_FLAGS.deposit,
    ]),
    ...ONE_DEPOSIT,
  },
  voucherRow('adopt', 'Allow a new store, or a store that has lost vouchers, to sign.', [
    VOUCHER_FLAGS.complete,
  ]),
]

const shellRows = (): readonly Command[] => [
  {
    path: 'completion',
    summary: 'Print what completes these commands in a shell.',
    operand: { shown: 'SHELL', meaning: 'bash, zsh or fish.' },
    example: 'bash',
    arguments: [],
    onDefaults: true,
    run: async ({ report, commands }, args) => {
      const { completionLines } = await import('./shell/completion.ts')
      const lines = completionLines(args.get('SHELL') ?? '', commands)
      if (lines === null) throw new UsageError('SHELL must be bash, zsh or fish')
      report({ lines }, lines)
      return 0
    },
  },
  {
    path: 'man',
    summary: 'Print the manual page: prepd --mode admin man | man -l -',
    arguments: [],
    onDefaults: true,
    run: async ({ report, commands }) => {
      const { manualPage } = await import('./shell/man.ts')
      const lines = manualPage(commands, BUILD_FACTS.version)
      report({ lines }, lines)
      return 0
    },
  },
]

/** An account command, for a running server or for a data directory without a server. */
function accountRow(
  name: keyof typeof ACCOUNT_COMMANDS,
  summary: string,
  flags: readonly CommandFlag[],
): Command {
  return {
    path: `account ${name}`,
    summary,
    arguments: [ACCOUNT_FLAGS.url, ...(name === 'bind' ? [] : [ACCOUNT_FLAGS.opsUrl]), ...flags],
    run: async (deps, args) =>
      (await import('./account/account.ts')).accountCommand(name, deps, args),
  }
}

/** A command that opens the voucher store, also while a server runs. */
function voucherRow(
  name: keyof typeof VOUCHER_COMMANDS,
  summary: string,
  flags: readonly CommandFlag[],
): Command {
  return {
    path: `voucher ${name}`,
    summary,
    arguments: flags,
    run: async ({ print, report, settings, files, world }, args) => {
      const { VOUCHER_COMMANDS, readValiditySeconds } = await import('./voucher/voucher.ts')
      const validitySeconds = () => readValiditySeconds({ settings, files })
      const { recordsLocation: recordsAt } = await import('../core/settings/engines.ts')
      if (settings.engines) print(`in ${recordsAt(settings)}:`)
      const store = await world.openVoucherStore(settings)
      try {
        return await VOUCHER_COMMANDS[name](
          { report, store, clock: world.clock, validitySeconds },
          args,
        )
      } finally {
        store.close()
      }
    },
  }
}
