import { signal } from '@preact/signals'
import type { AuditedAct, ConsoleFigures, ShownSetting } from '../../contract/console/figures.ts'
import { CONSOLE_LIMITS, type ConsoleAction } from '../../contract/console/limits.ts'
import { MINUTE_MS } from '../../contract/durations.ts'
import { dayTime, filledTemplate } from '../common/format.ts'
import { Pairs } from '../common/pairs.tsx'
import type { Column } from '../common/table.tsx'
import { CONSOLE_TEXTS } from './messages.ts'
import { ConsolePanel, TablePanel } from './parts.tsx'
import { poll } from './state.ts'

/** The operator's key, kept only in memory; '' until the server has accepted a key. */
const operatorKey = signal('')

/** The text of the last action's result, or of the key's check. */
const outcome = signal('')

/** The settings and the audit log, which the server sends only with the key. */
const settings = signal<readonly ShownSetting[]>([])
const audit = signal<readonly AuditedAct[]>([])

/** Checks a key with the server. An accepted key is kept until the page closes. */
async function enterKey(key: string): Promise<void> {
  try {
    const response = await fetch('/console/settings', bearing(key))
    const body = await response.json()
    if (response.ok) {
      operatorKey.value = key
      settings.value = body.settings
      outcome.value = CONSOLE_TEXTS.act.accepted
      await readAudit()
    } else outcome.value = filledTemplate(CONSOLE_TEXTS.act.refused, { error: errorText(body) })
  } catch {
    outcome.value = CONSOLE_TEXTS.offline
  }
}

/** Forgets the key, and the settings and the audit log with it. */
function forgetKey(): void {
  operatorKey.value = ''
  settings.value = []
  audit.value = []
  outcome.value = CONSOLE_TEXTS.act.forgotten
}

/** Sends an action of the operator to the server. */
async function act(action: ConsoleAction): Promise<void> {
  const search = action === 'advance-clock' ? `?ms=${MINUTE_MS}` : ''
  outcome.value = filledTemplate(CONSOLE_TEXTS.act.underWay, { action: CONSOLE_TEXTS.act[action] })
  try {
    const init = { method: 'POST', ...bearing(operatorKey.peek()) }
    const response = await fetch(`/console/act/${action}${search}`, init)
    outcome.value = response.ok
      ? filledTemplate(CONSOLE_TEXTS.act.done, { action: CONSOLE_TEXTS.act[action] })
      : filledTemplate(CONSOLE_TEXTS.act.refused, { error: errorText(await response.json()) })
    await readAudit()
  } catch {
    outcome.value = CONSOLE_TEXTS.offline
  }
  await poll()
}

async function readAudit(): Promise<void> {
  const path = `/api/admin/audit?rows=${CONSOLE_LIMITS.auditMax}`
  const response = await fetch(path, bearing(operatorKey.peek()))
  if (response.ok) audit.value = (await response.json()).rows
}

function bearing(key: string) {
  return { headers: { authorization: `Bearer ${key}` } }
}

function errorText(body: unknown): string {
  const error = typeof body === 'object' && body !== null ? Reflect.get(body, 'error') : ''
  return typeof error === 'string' ? error : ''
}

/** The action that awaits its confirmation. */
const armed = signal<ConsoleAction | null>(null)

/** The key that is being typed. */
const typed = signal('')

/** The operator's actions, which need the key. */
export function Actions({ found }: { readonly found: ConsoleFigures }) {
  const { venue, canAct } = found
  return (
    <ConsolePanel title={CONSOLE_TEXTS.act.title} id="act">
      {venue.kind === 'embedded' && (
        <Pairs
          rows={[
            [
              CONSOLE_TEXTS.clock.title,
              venue.isVirtual ? dayTime(venue.nowMs) : CONSOLE_TEXTS.clock.real,
            ],
          ]}
        />
      )}
      {!canAct && <p class="inset quiet">{CONSOLE_TEXTS.act.none}</p>}
      {canAct && (operatorKey.value === '' ? <KeyForm /> : <Choices found={found} />)}
      <p class="inset" role="status">
        {outcome.value}
      </p>
    </ConsolePanel>
  )
}

function KeyForm() {
  return (
    <form
      class="inset"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault()
        void enterKey(typed.peek())
        typed.value = ''
      }}
    >
      <label>
        {CONSOLE_TEXTS.act.key}{' '}
        <input
          type="password"
          autocomplete="off"
          maxLength={512}
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value
          }}
        />
      </label>
      <p class="quiet">{CONSOLE_TEXTS.act.keyWhy}</p>
      <div class="buttons">
        <button type="submit" disabled={typed.value === ''}>
          {CONSOLE_TEXTS.act.use}
        </button>
      </div>
    </form>
  )
}

function Choices({ found }: { readonly found: ConsoleFigures }) {
  return (
    <div class="inset buttons">
      {possible(found).map((action) => (
        <button
          key={action}
          type="button"
          data-action={action}
          onClick={({ detail }) => press(action, detail)}
        >
          {armed.value === action
            ? filledTemplate(CONSOLE_TEXTS.act.sure, { action: CONSOLE_TEXTS.act[action] })
            : CONSOLE_TEXTS.act[action]}
        </button>
      ))}
      {armed.value === null ? (
        <button type="button" class="plain" onClick={forgetKey}>
          {CONSOLE_TEXTS.act.forget}
        </button>
      ) : (
        <button
          type="button"
          class="plain"
          onClick={() => {
            armed.value = null
          }}
        >
          {CONSOLE_TEXTS.act.cancel}
        </button>
      )}
    </div>
  )
}

function possible({ venue, vouchers }: ConsoleFigures): readonly ConsoleAction[] {
  const pausing = vouchers?.isPaused ? 'resume-vouchers' : 'pause-vouchers'
  return [
    ...(vouchers ? ([pausing] as const) : []),
    ...(venue.isVirtual ? (['advance-clock'] as const) : []),
    'purge-cache',
  ]
}

/**
 * The first press asks for confirmation, the second press runs the action. The second click of a double click is
 * ignored.
 */
function press(action: ConsoleAction, clicks: number): void {
  if (armed.peek() !== action) {
    armed.value = action
    return
  }
  if (clicks > 1) return
  armed.value = null
  void act(action)
}

const [time, done, fields, bearer] = CONSOLE_TEXTS.audit.head

const AUDITED_COLUMNS: readonly Column<AuditedAct>[] = [
  [time, ({ atMs }) => dayTime(atMs), () => ({ class: 'quiet' })],
  [done, (row) => row.act],
  [fields, (row) => Object.entries(row.fields).map(([field, value]) => `${field} ${value} `)],
  [bearer, ({ fingerprint }) => fingerprint, () => ({ class: 'quiet' })],
]

/** The audit log of operators' actions, newest first; hidden without a key. */
export function Audit() {
  if (operatorKey.value === '') return null
  return (
    <TablePanel
      title={CONSOLE_TEXTS.audit.title}
      none={CONSOLE_TEXTS.audit.none}
      isLong
      columns={AUDITED_COLUMNS}
      rows={audit.value}
      keyOf={({ id }) => id}
      attributesOf={(row) => ({ 'data-act': row.act })}
    />
  )
}

const [setting, value, from] = CONSOLE_TEXTS.settings.head

const SETTING_COLUMNS: readonly Column<ShownSetting>[] = [
  [setting, ({ name }) => name],
  [value, ({ value: text }) => text.split(',').map(asPartOfList), undefined, 'text'],
  [
    from,
    ({ origin }) => CONSOLE_TEXTS.settings.origins[origin],
    ({ origin }) => ({ class: origin === 'default' ? 'quiet' : '' }),
    'text',
  ],
]

/** Allows a line break after each comma. */
function asPartOfList(part: string, at: number) {
  return at === 0 ? part : [',', <wbr key={at} />, part]
}

/** The settings of this process and the origin of each; empty without a key. */
export function SettingsPanel() {
  const rows = settings.value.toSorted(
    (a, b) => Number(a.origin === 'default') - Number(b.origin === 'default'),
  )
  return (
    <TablePanel
      title={CONSOLE_TEXTS.settings.title}
      why={CONSOLE_TEXTS.settings.why}
      isLong
      columns={SETTING_COLUMNS}
      rows={rows}
      keyOf={({ name }) => name}
      attributesOf={({ name }) => ({ 'data-setting': name })}
    />
  )
}
