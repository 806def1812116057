import { isObject, parsedJson } from './json.ts'

/** A time of which the store may lack records: freezes, mandates, webhooks, claims, and what was used of limits. */
export type Loss = {
  /**
   * `restored` from a backup; `missing`: the store was gone; `behind`: an earlier state of it came back; `moved`: it came from
   * another server, and what it should have is not known; `unwitnessed`: its server has started anew, and nothing beside it
   * knew what it should have.
   */
  readonly kind: keyof typeof HAPPENED
  /** When the backup was made; null where it is not known what is left. */
  readonly fromMs: number | null
  readonly atMs: number
  /** Writes signed until then may have been sent before. */
  readonly unknownUntilMs: number
}

const HAPPENED = {
  restored: 'The store was restored at',
  missing: 'The store was missing beside its mark at',
  behind: 'The store came back in an earlier state at',
  moved: 'The store came from another database server at',
  unwitnessed: 'No data directory, Valkey or instance knew what the store should have at',
} as const

function isLossKind(kind: unknown): kind is Loss['kind'] {
  return typeof kind === 'string' && Object.hasOwn(HAPPENED, kind)
}

/** The control under which a loss is stored until the operator confirms it. */
export const LOSS_CONTROL = { kind: 'loss', key: '' } as const

/** The loss of a control's value; null for a value that is none. */
export function lossIn(value: string | undefined): Loss | null {
  const loss: unknown = value === undefined ? null : parsedJson(value)
  if (!isObject(loss)) return null
  const { kind, fromMs, atMs, unknownUntilMs } = loss
  if (!isLossKind(kind)) return null
  if (typeof atMs !== 'number' || typeof unknownUntilMs !== 'number') return null
  return { kind, atMs, unknownUntilMs, fromMs: typeof fromMs === 'number' ? fromMs : null }
}

/** A loss in one sentence, as readiness, log and answers say it. */
export function lossText({ kind, fromMs, atMs, unknownUntilMs }: Loss): string {
  const from = fromMs === null ? '' : `, from a backup of ${isoText(fromMs)}`
  return `${HAPPENED[kind]} ${isoText(atMs)}${from}; writes signed before ${isoText(unknownUntilMs)} are unknown.`
}

/** A loss and the next step of the operator; null for none. */
export function lossReason(loss: Loss | null): string | null {
  return loss && `${lossText(loss)} ${CONFIRM_LOSS}`
}

const CONFIRM_LOSS =
  'Accounts may only cancel and reduce. Check freezes, mandates and webhooks, then run: prepd --mode admin loss confirm'

function isoText(ms: number): string {
  return new Date(ms).toISOString()
}

/** The message of a start that made a new store. */
export const NEW_STORE =
  'There was no store, so a new one was made. Writes signed before now are not sent. If there should be one, stop, and mount or restore it.'
