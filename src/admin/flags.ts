import type { CommandFlag } from './command.ts'

/** Whether the venue has to answer too. */
export const READY_FLAG: CommandFlag = {
  flag: '--ready',
  meaning: 'Also ask the venue, as /readyz does.',
}
