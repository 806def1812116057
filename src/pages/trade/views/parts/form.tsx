import type { Signal } from '@preact/signals'
import { type ComponentChildren, Fragment } from 'preact'
import { useId } from 'preact/hooks'
import { ONE } from '../../../../core/decimals.ts'
import { quotient } from '../../../../perp/amounts.ts'
import { filledTemplate } from '../../../common/format.ts'
import { TICKET_TEXTS } from '../../messages/ticket.ts'
import type { FieldProblem } from '../../orders/check.ts'
import { inputText } from '../../orders/inputs.ts'
import { unreadable } from '../../orders/problems.ts'

const INPUT_MAX_CHARS = 32

/** The text of an input. */
type Input = { value: string }

type FieldProps = {
  readonly label: string
  readonly input: Input
  readonly suffix?: string
  readonly placeholder?: string
  readonly end?: ComponentChildren
  /** Whether the surrounding dialog focuses this input first. */
  readonly isFirst?: boolean | undefined
  /** The problem with the typed number. */
  readonly problem?: FieldProblem | null
  /** For a form that shows all problems in one place: the id of that place, and whether it shows a problem of this input. */
  readonly shownAt?: { readonly id: string; readonly isWrong: boolean }
}

/** An input for a decimal. For an unclear text it shows the possible numbers. */
export function NumberField(props: FieldProps) {
  const { label, input, suffix, placeholder = '', end, isFirst, problem, shownAt } = props
  const id = useId()
  const wrong = shownAt ? null : (unreadable(input.value) ?? problem ?? null)
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="entry">
        <input
          id={id}
          inputMode="decimal"
          autocomplete="off"
          maxLength={INPUT_MAX_CHARS}
          placeholder={placeholder}
          data-first={isFirst}
          aria-invalid={shownAt?.isWrong ?? wrong !== null}
          aria-describedby={shownAt?.id ?? `${id}-problem`}
          value={input.value}
          onInput={(event) => {
            input.value = event.currentTarget.value
          }}
        />
        {suffix && <span class="quiet">{suffix}</span>}
        {end}
      </div>
      {!shownAt && (
        <div role="status" id={`${id}-problem`}>
          {wrong && (
            <FieldProblemText
              {...wrong}
              onCorrect={(value) => {
                input.value = inputText(value)
              }}
            />
          )}
        </div>
      )}
    </div>
  )
}

type ChoiceProps<T extends string> = {
  readonly label: string
  /** The text of each option, in order. */
  readonly options: Readonly<Record<T, string>>
  readonly chosen: Signal<T>
  readonly title?: string
}

function optionNames<T extends string>(options: Readonly<Record<T, string>>): readonly T[] {
  const names: T[] = []
  for (const name in options) names.push(name)
  return names
}

/** A choice between options as a drop-down list. */
export function Choice<T extends string>({ label, options, chosen, title }: ChoiceProps<T>) {
  const names = optionNames(options)
  return (
    <select
      aria-label={label}
      title={title}
      value={chosen.value}
      onChange={(event) => {
        const found = names.find((name) => name === event.currentTarget.value)
        if (found) chosen.value = found
      }}
    >
      {names.map((name) => (
        <option key={name} value={name}>
          {options[name]}
        </option>
      ))}
    </select>
  )
}

type WrongProps = FieldProblem & {
  /** Whether the value is only missing, not wrong. */
  readonly isMissing?: boolean
  readonly onCorrect: (value: bigint) => void
}

/** The problem with a number, and buttons for the suggested numbers. */
export function FieldProblemText({ text, corrections, isMissing, onCorrect }: WrongProps) {
  return (
    <p class={isMissing ? 'quiet' : 'warn'}>
      {text}{' '}
      {corrections.map((value) => (
        <Fragment key={String(value)}>
          <button type="button" class="link" onClick={() => onCorrect(value)}>
            {filledTemplate(TICKET_TEXTS.use, { value: inputText(value) })}
          </button>{' '}
        </Fragment>
      ))}
    </p>
  )
}

type SegmentsProps<T extends string> = ChoiceProps<T> & {
  readonly kind: string
  /** Called after a choice, for its other effects. */
  readonly onChoose?: (name: T) => void
  /** Whether all other options are disabled. */
  readonly isStill?: boolean
}

/** A choice between options as buttons. */
export function Segments<T extends string>(props: SegmentsProps<T>) {
  const { label, kind, options, chosen, isStill = false } = props
  const choose = (name: T) => {
    chosen.value = name
    props.onChoose?.(name)
  }
  return (
    <fieldset class={`segments ${kind}`} aria-label={label}>
      {optionNames(options).map((name) => (
        <button
          key={name}
          type="button"
          data-name={name}
          aria-pressed={name === chosen.value}
          disabled={isStill && name !== chosen.value}
          onClick={() => choose(name)}
        >
          {options[name]}
        </button>
      ))}
    </fieldset>
  )
}

/** A checkbox. */
export function Checkbox({
  label,
  checked,
}: {
  readonly label: string
  readonly checked: Signal<boolean>
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={checked.value}
        onChange={(event) => {
          checked.value = event.currentTarget.checked
        }}
      />{' '}
      {label}
    </label>
  )
}

/** The percentages that buttons and keys choose. */
export const SHARES = [25, 50, 75, 100] as const

type SharesProps = {
  readonly label: string
  readonly part: bigint | null
  readonly whole: bigint
  readonly onChoose: (percent: number) => void
}

/** A slider and buttons that choose a percentage of `whole`. */
export function Shares({ label, part, whole, onChoose }: SharesProps) {
  const share = wholePercent(part ?? 0n, whole)
  const isNone = whole === 0n
  return (
    <div class="shares">
      <input
        type="range"
        min="0"
        max="100"
        aria-label={label}
        aria-valuetext={`${share}%`}
        disabled={isNone}
        value={share}
        onInput={(event) => onChoose(Number(event.currentTarget.value))}
      />
      {SHARES.map((percent) => (
        <button
          key={percent}
          type="button"
          class="plain"
          data-share={percent}
          aria-pressed={part !== null && share === percent}
          disabled={isNone}
          onClick={() => onChoose(percent)}
        >
          {percent}%
        </button>
      ))}
    </div>
  )
}

/** A part in percent of a whole, rounded to an integer of at most 100. */
function wholePercent(part: bigint, whole: bigint): number {
  const share = Number((100n * quotient(part, whole) + ONE / 2n) / ONE)
  return Math.min(100, share)
}
