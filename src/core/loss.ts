import { isObject, parsedJson } from './json.ts'

/** A period whose records the store may have lost: freezes, mandates, webhooks, claims and uses of limits. */
export type Loss = {
  /**
   * How the records were lost:
   * - `restored`: the store was restored from a backup.
   * - `missing`: the store did not exist.
   * - `behind`: an earlier state of the store came back.
   * - `moved`: the store came from a different server, and its expected contents are unknown.
   * - `unwitnessed`: the store's server restarted, and no witness knew its expected contents.
   */
  readonly kind: keyof typeof LOSS_MESSAGES
  /** The time of the backup; null if it is unknown which records are left. */
  readonly fromMs: number | null
  readonly atMs: number
  /** Writes signed before this time may already have been sent. */
  readonly unknownUntilMs: number
}

const LOSS_MESSAGES = {
  restored: 'The store was restored at',
  missing: 'The store was missing beside its mark at',
  behind: 'The store came back in an earlier state at',
  moved: 'The store came from another database server at',
  unwitnessed: 'No data directory, Valkey or instance knew what the store should have at',
} as const

function isLossKind(kind: unknown): kind is Loss['kind'] {
  return typeof kind === 'string' && Object.hasOwn(LOSS_MESSAGES, kind)
}

/** The key of the stored control with a loss, until the operator confirms it. */
export const LOSS_CONTROL = { kind: 'loss', key: '' } as const

/** Parses the loss in a control's value; null for an invalid value. */
export function parseLoss(value: string | undefined): Loss | null {
  const loss: unknown = value === undefined ? null : parsedJson(value)
  if (!isObject(loss)) return null
  const { kind, fromMs, atMs, unknownUntilMs } = loss
  if (!isLossKind(kind)) return null
  if (typeof atMs !== 'number' || typeof unknownUntilMs !== 'number') return null
  return { kind, atMs, unknownUntilMs, fromMs: typeof fromMs === 'number' ? fromMs : null }
}

/** A loss as one sentence for readiness, log and answers. */
export function lossText({ kind, fromMs, atMs, unknownUntilMs }: Loss): string {
  const from = fromMs === null ? '' : `, from a backup of ${isoText(fromMs)}`
  return `${LOSS_MESSAGES[kind]} ${isoText(atMs)}${from}; writes signed before ${isoText(unknownUntilMs)} are unknown.`
}

/** A loss and the operator's next step as a sentence; null without a loss. */
export function lossReason(loss: Loss | null): string | null {
  return loss && `${lossText(loss)} ${CONFIRM_LOSS}`
}

/** The next step of an account that may only cancel and reduce because records were lost. */
export const LOSS_NEXT_STEP =
  'Cancel and reduce as you need. To open again, the wallet of the account signs its mandate, or the operator confirms the lost period.'

const CONFIRM_LOSS =
  'Accounts may only cancel and reduce. Check freezes, mandates and webhooks, then run: prepd --mode admin loss confirm'

function isoText(ms: number): string {
  return new Date(ms).toISOString()
}

/** The message of a start that made a new store. */
export const NEW_STORE_MESSAGE =
  'There was no store, so a new one was made. Writes signed before now are not sent. If there should be one, stop, and mount or restore it.'
