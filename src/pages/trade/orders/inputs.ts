import { computed } from '@preact/signals'
import {
  localeSigns,
  type NumberReading,
  readNumber,
  writeNumber,
} from '../../common/read-number.ts'

const signs = computed(() => localeSigns(navigator.language))

/** Reads the text of an input as a number in the user's notation. */
export function readInput(text: string): NumberReading {
  return readNumber(text, signs.value)
}

/** The number in an input; null for an empty or unclear text. */
export function typedNumber(text: string): bigint | null {
  const reading = readInput(text)
  return reading.kind === 'value' ? reading.value : null
}

/** The text that puts a value into an input. */
export function inputText(value: bigint): string {
  return writeNumber(value, signs.value)
}
