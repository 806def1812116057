import { computed, signal } from '@preact/signals'
import { MINUTE_MS } from '../../../../spec/durations.ts'
import { rowsOf, textOf } from '../../../common/exact-json.ts'
import { publicRead } from '../../feed/public-read.ts'

export const list = publicRead('vaults', MINUTE_MS, () => '/api/prep/op/vault.info')

export const vaults = computed(() => rowsOf(list.reading.value.data, 'rows'))

/** The id of the vault that was chosen; '' before one was. */
export const chosenId = signal('')

/** The vault that was chosen, else the first; null before they are known. */
export const chosen = computed(
  () =>
    vaults.value.find((row) => textOf(row, 'vault_id') === chosenId.value) ??
    vaults.value[0] ??
    null,
)

/** Where more of the chosen vault is read; null before there is one. */
function ofChosen(operation: string): string | null {
  const id = textOf(chosen.value ?? undefined, 'vault_id')
  return id && `/api/prep/op/${operation}?vault_id=${encodeURIComponent(id)}`
}

export const performance = publicRead('vaults', MINUTE_MS, () => ofChosen('vault.performance'))

export const positions = publicRead('vaults', MINUTE_MS, () => ofChosen('vault.positions'))
