import { ACTS, type Act, type ActName, type ActParameter } from '../../spec/operator/acts.ts'
import { ACCOUNT_FLAGS } from '../account/flags.ts'
import type { Command, CommandFlag } from '../command.ts'
import { OFFLINE_FLAG } from '../flags.ts'

const SHOWN: Readonly<Record<string, string>> = {
  caller: 'CALLER',
  identity: 'HEX',
  key: 'KEY',
  level: 'LEVEL',
  limit: 'LIMIT',
  policy: 'POLICY',
  rows: 'COUNT',
}

/** The commands that are acts on a running server, or on a data directory that no server uses. */
export const ACT_COMMANDS: readonly Command[] = Object.keys(ACTS).filter(isActName).flatMap(rowOf)

/** The flag of an act's parameter: `--rows COUNT`. */
function actFlag(name: string, { meaning }: ActParameter): CommandFlag {
  return { flag: `--${name}`, value: { shown: SHOWN[name] ?? 'TEXT' }, meaning }
}

function rowOf(name: ActName): Command[] {
  const { command, summary, parameters }: Act = ACTS[name]
  if (command === null) return []
  return [
    {
      path: command,
      summary,
      arguments: [
        ACCOUNT_FLAGS.opsUrl,
        OFFLINE_FLAG,
        ...Object.entries(parameters).map(([key, row]) => actFlag(key, row)),
      ],
      run: async (deps, args) => (await import('./act.ts')).actCommand(name, deps, args),
    },
  ]
}

function isActName(name: string): name is ActName {
  return Object.hasOwn(ACTS, name)
}
