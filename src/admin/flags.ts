import type { CommandFlag } from './command.ts'

/** Whether the venue has to answer too. */
export const READY_FLAG: CommandFlag = {
  flag: '--ready',
  meaning: 'Also ask the venue, as /readyz does.',
}

/** Without it an act needs a running server. */
export const OFFLINE_FLAG: CommandFlag = {
  flag: '--offline',
  meaning: 'Work on the data directory itself, which no server may use.',
}
