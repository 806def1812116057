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
]
