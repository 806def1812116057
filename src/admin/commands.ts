import { hostText, type ListenAddress } from '../core/listen-address.ts'
import type { Command } from './command.ts'

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
    run: async (deps) => (await import('./config-check.ts')).configCheck(deps),
  },
  {
    path: 'config show',
    summary: 'Show every setting; secrets are masked.',
    arguments: [{ flag: '--origin', meaning: 'Also show where each value came from.' }],
    run: async (deps, args) => (await import('./config-show.ts')).configShow(deps, args),
  },
  {
    path: 'tour',
    summary: "Walk a user's journey on a running server, with throw-away keys.",
    arguments: [
      {
        flag: '--url',
        value: { shown: 'URL', kind: 'apiUrl' },
        meaning: 'Base address of the server; by default the one these settings start.',
      },
    ],
    run: async ({ world, print, settings }, args) => {
      const { tour } = await import('./tour.ts')
      return tour({ ...world, print, baseUrl: args.get('--url') ?? urlOf(settings.listen) })
    },
  },
]

/** Where a listener is reached from this machine: one that listens everywhere is on loopback too. */
function urlOf({ host, port }: ListenAddress): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${hostText(reached)}:${port}`
}
