import { HEX_PATTERNS } from '../hex.ts'
import { POLICIES } from '../limits.ts'
import {
  COMMAND_NAMES,
  type CommandName,
  type CommandRow,
  commandPath,
  VENUE_COMMANDS,
} from '../venue/commands.ts'

/** A text parameter of an operator action: in the query of a read, otherwise in the JSON body. */
export type ActParameter = {
  readonly pattern: RegExp
  /** The end of the sentence "… must be". */
  readonly expects: string
  readonly meaning: string
  readonly example: string
  readonly optional?: true
}

/** An operator action: a read or a change of the running prepd. */
export type Act = {
  /** POST actions are written to the audit log; GET actions are not. */
  readonly method: 'GET' | 'POST'
  /** The path below `/api/admin/`. */
  readonly path: string
  /** The words of the command; null if a separate command covers the action. */
  readonly command: string | null
  readonly summary: string
  readonly parameters: Readonly<Record<string, ActParameter>>
}

export const ACT_LIMITS = {
  rowsDefault: 50,
  sentenceMaxChars: 200,
  windowKeyMaxChars: 160,
  cacheKeyMaxChars: 600,
  blocksMax: 10_000,
  freezesMax: 10_000,
  ownLimitsMax: 10_000,
} as const

const ROWS: ActParameter = {
  pattern: /^(?:[1-9]\d?|[1-4]\d\d|500)$/,
  expects: 'a whole number from 1 to 500',
  meaning: 'How many rows at most; 50 when it is not given.',
  example: '50',
  optional: true,
}
const POLICY: ActParameter = {
  pattern: new RegExp(`^(?:${Object.keys(POLICIES).join('|')})$`),
  expects: `one of ${Object.keys(POLICIES).join(', ')}`,
  meaning: `${Object.keys(POLICIES).join(', ')}.`,
  example: 'read',
}
const KEY: ActParameter = {
  pattern: new RegExp(`^[\\x21-\\x7e]{1,${ACT_LIMITS.windowKeyMaxChars}}$`),
  expects: 'at most 160 visible characters',
  meaning: 'Whom the window counts: an address, an account, or a key as limits list shows it.',
  example: '203.0.113.7',
}
const CALLER: ActParameter = {
  pattern: /^(?:[0-9a-fA-F:.]{2,45}(?:\/\d{1,3})?|0x[0-9a-fA-F]{40}|0x[0-9a-fA-F]{64})$/,
  expects:
    'an IP address, a network (IPv4 /8 to /32, IPv6 /16 to /64, no bits beyond the prefix), a wallet (0x and 40 hex characters) or an account (0x and 64)',
  meaning: 'An IP address, a network such as 203.0.113.0/24, a wallet or an account.',
  example: '203.0.113.7',
}

const ACCOUNT: ActParameter = {
  pattern: new RegExp(HEX_PATTERNS.hash),
  expects: 'an account (0x and 64 hex characters)',
  meaning: 'The account.',
  example: `0x${'00'.repeat(32)}`,
}
const WITNESS: ActParameter = {
  pattern: /^[1-9]\d{0,14}:[0-9a-f]{64}$/,
  expects: 'a number and a hash, as newest of an earlier verification',
  meaning: 'NUMBER:HASH, newest of an earlier run: that entry must still be there.',
  example: `1:${'00'.repeat(32)}`,
  optional: true,
}

/** All operator actions with route, command and documentation. Each needs the operator's key. */
// biome-ignore format: one act a row
export const ACTS = {
  status: { method: 'GET', path: 'status', command: 'status', summary: 'Show what the server knows of itself.', parameters: {} },
  audit: { method: 'GET', path: 'audit', command: 'audit list', summary: 'List what operators did, the newest first.', parameters: { rows: ROWS } },
  listAgentWrites: { method: 'GET', path: 'audit/agents', command: 'audit agents', summary: 'List what agents wrote, the newest first.', parameters: { rows: ROWS } },
  verifyAgentWrites: { method: 'GET', path: 'audit/verify', command: 'audit verify', summary: 'Follow the chain of what agents wrote; name the first entry that was changed.', parameters: { witness: WITNESS } },
  listNonces: { method: 'GET', path: 'nonces', command: 'nonces list', summary: 'List the registration nonces that were issued and not spent.', parameters: { rows: ROWS } },
  purgeNonces: { method: 'POST', path: 'nonces/purge', command: 'nonces purge', summary: 'Forget every nonce: who is registering begins again.', parameters: {} },
  listLimits: { method: 'GET', path: 'limits', command: 'limits list', summary: 'List the rate windows in debt, and the keys with limits of their own.', parameters: { policy: { ...POLICY, optional: true }, rows: ROWS } },
  showLimit: { method: 'GET', path: 'limits/show', command: 'limits show', summary: 'Show one rate window.', parameters: { policy: POLICY, key: KEY } },
  setLimit: { method: 'POST', path: 'limits/set', command: 'limits set', summary: 'Give one key a limit of its own.', parameters: { policy: POLICY, key: KEY, limit: { pattern: /^(?:off|\d{1,9}\/\d{1,9}s burst \d{1,9})$/, expects: 'written as 600/60s burst 120, or off', meaning: 'Such as 600/60s burst 120; off counts nothing.', example: '6000/60s burst 1200' } } },
  resetLimit: { method: 'POST', path: 'limits/reset', command: 'limits reset', summary: 'Forget what one window has counted, and a limit of its own.', parameters: { policy: POLICY, key: KEY } },
  listCache: { method: 'GET', path: 'cache', command: 'cache list', summary: 'List the kept answers, the newest first.', parameters: { rows: ROWS } },
  showCache: { method: 'GET', path: 'cache/show', command: 'cache show', summary: 'Show one kept answer.', parameters: { key: { pattern: new RegExp(`^[\\x20-\\x7e]{1,${ACT_LIMITS.cacheKeyMaxChars}}$`), expects: 'at most 600 visible characters', meaning: 'The key, as cache list shows it.', example: 'route:markets' } } },
  purgeCache: { method: 'POST', path: 'cache/purge', command: 'cache purge', summary: 'Forget every kept answer.', parameters: {} },
  listRelayed: { method: 'GET', path: 'relayed', command: 'relayed list', summary: 'List the writes that may not be sent again, the newest first.', parameters: { rows: ROWS } },
  showRelayed: { method: 'GET', path: 'relayed/show', command: 'relayed show', summary: 'Show whether a write is claimed.', parameters: { identity: { pattern: /^[0-9a-f]{64}$/, expects: '64 hex characters in lower case', meaning: 'Output of explain for a signed write.', example: '00'.repeat(32) } } },
  listBlocks: { method: 'GET', path: 'blocks', command: 'blocks list', summary: 'List who is blocked.', parameters: { rows: ROWS } },
  block: { method: 'POST', path: 'blocks/add', command: 'blocks add', summary: 'Refuse requests of an address or network, or signed calls of a wallet or account.', parameters: { caller: CALLER } },
  unblock: { method: 'POST', path: 'blocks/remove', command: 'blocks remove', summary: 'Take a block back.', parameters: { caller: CALLER } },
  listFreezes: { method: 'GET', path: 'freezes', command: 'freezes list', summary: 'List the accounts that the operator has frozen.', parameters: { rows: ROWS } },
  freeze: { method: 'POST', path: 'freezes/add', command: 'freezes add', summary: 'Let an account only cancel and reduce; neither its keys nor its wallet lift that.', parameters: { account: ACCOUNT } },
  unfreeze: { method: 'POST', path: 'freezes/remove', command: 'freezes remove', summary: 'Take a freeze of the operator back.', parameters: { account: ACCOUNT } },
  closeWrites: { method: 'POST', path: 'maintenance/on', command: 'maintenance on', summary: 'Refuse writes with a sentence; reads and cancelling go on.', parameters: { sentence: { pattern: new RegExp(`^[^\\p{Cc}]{1,${ACT_LIMITS.sentenceMaxChars}}$`, 'u'), expects: 'one line of at most 200 characters', meaning: 'What callers read.', example: 'Maintenance until 14:00 UTC.' } } },
  openWrites: { method: 'POST', path: 'maintenance/off', command: 'maintenance off', summary: 'Take writes again.', parameters: {} },
  confirmLoss: { method: 'POST', path: 'loss/confirm', command: 'loss confirm', summary: 'After a restore or a lost store: let accounts open positions again.', parameters: {} },
  setLogLevel: { method: 'POST', path: 'log', command: 'log', summary: 'Change the level of the log until the next start or SIGHUP.', parameters: { level: { pattern: /^(?:error|warn|info|debug)$/, expects: 'error, warn, info or debug', meaning: 'error, warn, info or debug.', example: 'debug' } } },
  pauseVouchers: { method: 'POST', path: 'vouchers/pause', command: null, summary: 'Stop signing and answering vouchers.', parameters: {} },
  resumeVouchers: { method: 'POST', path: 'vouchers/resume', command: null, summary: 'Sign vouchers again.', parameters: {} },
} as const satisfies Record<string, Act>

export type ActName = keyof typeof ACTS

/** Path prefix of the operator's commands. */
export const ACTS_ROOT = '/api/admin/'

/** A command of the operator: an action on the running prepd, or a command of its embedded venue. */
export type OperatorCommand = Pick<Act, 'method' | 'path' | 'command' | 'summary'> &
  (
    | ({ readonly on: 'prepd'; readonly name: ActName } & Pick<Act, 'parameters'>)
    | ({ readonly on: 'venue'; readonly name: CommandName } & CommandRow)
  )

/** All commands of the operator. Each is a route, with its full path here, and most are a command of `--mode admin`. */
export const OPERATOR_COMMANDS: readonly OperatorCommand[] = [
  ...Object.keys(ACTS).filter(isActName).map(operatorAct),
  ...COMMAND_NAMES.map(toVenueCommand),
]

function isActName(name: string): name is ActName {
  return Object.hasOwn(ACTS, name)
}

/** The row of an action. */
export function operatorAct(name: ActName): OperatorCommand {
  return { on: 'prepd', name, ...ACTS[name], path: ACTS_ROOT + ACTS[name].path }
}

function toVenueCommand(name: CommandName): OperatorCommand {
  const row: CommandRow = VENUE_COMMANDS[name]
  const [path, command] = [commandPath(name), `venue ${name}`]
  return { on: 'venue', name, method: 'POST', path, command, ...row }
}
