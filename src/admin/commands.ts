import { hostText, type ListenAddress, LOOPBACK_OF_ANY } from '../settings/listen-address.ts'
import type { Command, CommandFlag } from './command.ts'
import { TOUR_FLAGS } from './tour/flags.ts'
import { VOUCHER_FLAGS } from './voucher/flags.ts'
import type { VOUCHER_COMMANDS } from './voucher/voucher.ts'

const URL_FLAG: CommandFlag = {
  flag: '--url',
  value: { shown: 'URL', kind: 'apiUrl' },
  meaning: 'Base address of the server; by default the one these settings start.',
}

/** The operator's commands. Each loads its code when it runs, so that other modes start without it. */
export const COMMANDS: readonly Command[] = [
  {
    path: 'help',
    summary: 'List these commands.',
    arguments: [],
    onDefaults: true,
    run: async ({ print }) => {
      const { commandLines } = await import('./help.ts')
      for (const line of commandLines(COMMANDS)) print(line)
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
    path: 'tour',
    summary: "Walk a user's journey on a running server, with throw-away keys.",
    arguments: [URL_FLAG, TOUR_FLAGS.source, TOUR_FLAGS.destination],
    run: async (deps, args) => {
      const { tourCommand } = await import('./tour/tour.ts')
      const baseUrl = args.get('--url') ?? urlOf(deps.settings.listen)
      return tourCommand({ ...deps, baseUrl }, args)
    },
  },
  {
    path: 'venue operator',
    summary: "Open the operator's account on a running embedded venue; print its settings.",
    arguments: [URL_FLAG],
    run: async (deps, args) => {
      const { venueOperator } = await import('./affiliate.ts')
      return venueOperator({ ...deps, baseUrl: args.get('--url') ?? urlOf(deps.settings.listen) })
    },
  },
  {
    path: 'venue promote',
    summary: 'Make an account of a running embedded venue a first-level affiliate.',
    arguments: [
      URL_FLAG,
      {
        flag: '--account',
        value: { shown: 'ID', kind: 'accountId' },
        meaning: 'The account: 0x and 64 hex characters.',
      },
    ],
    run: async (deps, args) => {
      const { venuePromote } = await import('./affiliate.ts')
      const baseUrl = args.get('--url') ?? urlOf(deps.settings.listen)
      return venuePromote({ ...deps, baseUrl }, args.get('--account'))
    },
  },
  voucherRow('list', 'List vouchers, the newest first.', [VOUCHER_FLAGS.rows]),
  voucherRow('show', 'Show all that is known of one voucher but its signature.', [
    VOUCHER_FLAGS.deposit,
  ]),
  voucherRow('pause', 'Stop signing and answering vouchers; a running server obeys.', []),
  voucherRow('resume', 'Sign vouchers again.', []),
  voucherRow('audit', 'List what was done with vouchers, the newest first.', [
    VOUCHER_FLAGS.rows,
    VOUCHER_FLAGS.deposit,
  ]),
  voucherRow('release', 'End the hold of a deposit, once it is clear that it was not paid.', [
    VOUCHER_FLAGS.deposit,
  ]),
  voucherRow('adopt', 'Let a fresh store sign: the key has signed nothing it does not know.', []),
]

/** A command that opens the vouchers beside a running server. */
function voucherRow(
  word: keyof typeof VOUCHER_COMMANDS,
  summary: string,
  flags: readonly CommandFlag[],
): Command {
  return {
    path: `voucher ${word}`,
    summary,
    arguments: flags,
    run: async ({ print, settings, world }, args) => {
      const { VOUCHER_COMMANDS } = await import('./voucher/voucher.ts')
      const store = await world.openVoucherStore(settings.dataDir)
      try {
        return VOUCHER_COMMANDS[word]({ print, store, clock: world.clock }, args)
      } finally {
        store.close()
      }
    },
  }
}

/** Where a listener is reached from this machine: one that listens everywhere is on loopback too. */
function urlOf({ host, port }: ListenAddress): string {
  return `http://${hostText(LOOPBACK_OF_ANY.get(host) ?? host)}:${port}`
}
