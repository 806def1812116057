import { computed } from '@preact/signals'
import { type NumberReading, readNumber, signsOf, writeNumber } from '../../common/read-number.ts'

const signs = computed(() => signsOf(navigator.language))

/** What the text of an input means as a number in the reader's language. */
export function readInput(text: string): NumberReading {
  return readNumber(text, signs.value)
}

/** The number in an input; null when there is none, or none that is clear. */
export function typed(text: string): bigint | null {
  const reading = readInput(text)
  return reading.kind === 'value' ? reading.value : null
}

/** The text that puts a value into an input. */
export function inputText(value: bigint): string {
  return writeNumber(value, signs.value)
}
