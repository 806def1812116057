import type { Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

const INPUT_MAX_CHARS = 32

type FieldProps = {
  readonly label: string
  readonly input: Signal<string>
  readonly suffix?: string
  readonly placeholder?: string
  readonly end?: ComponentChildren
  readonly problem?: ComponentChildren
}

/** A decimal that is typed. */
export function Field({ label, input, suffix, placeholder = '', end, problem }: FieldProps) {
  const id = useId()
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
          value={input.value}
          onInput={(event) => {
            input.value = event.currentTarget.value
          }}
        />
        {suffix && <span class="quiet">{suffix}</span>}
        {end}
      </div>
      <div role="status">{problem}</div>
    </div>
  )
}

type SegmentsProps<T extends string> = {
  readonly label: string
  readonly kind: string
  readonly options: readonly (readonly [T, string])[]
  readonly chosen: T
  readonly onChoose: (name: T) => void
}

/** One of a few. */
export function Segments<T extends string>(props: SegmentsProps<T>) {
  const { label, kind, options, chosen, onChoose } = props
  return (
    <fieldset class={`segments ${kind}`} aria-label={label}>
      {options.map(([name, text]) => (
        <button
          key={name}
          type="button"
          data-name={name}
          aria-pressed={name === chosen}
          onClick={() => onChoose(name)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  )
}

/** Yes or no. */
export function Check({
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
