import { computed, signal } from '@preact/signals'
import { HOUR_MS } from '../../../contract/durations.ts'
import { ONE } from '../../../core/decimals.ts'
import { shownPage } from '../../common/address.ts'
import { type Exact, rowsOf, textOf } from '../../common/exact-json.ts'
import { near } from '../../common/format.ts'
import { followed, topicOf } from '../feed/service.ts'

export const chainsReading = followed(() =>
  shownPage.value === 'deposit' || shownPage.value === 'withdraw'
    ? topicOf('/api/prep/deposit-chains', HOUR_MS)
    : null,
)

export const chains = computed(() => chainsOf(chainsReading.value.data))

/** The id of the chain that was chosen; 0 before one was. */
export const chosenId = signal(0)

/** The chain that was chosen, else the first; null before they are known. */
export const chain = computed(
  () => chains.value.find(({ id }) => id === chosenId.value) ?? chains.value[0] ?? null,
)

/** A chain from which USDC is deposited, and to which it is withdrawn. */
export type Chain = ReturnType<typeof chainsOf>[number]

function chainsOf(answer: Exact) {
  return rowsOf(answer, 'rows').map((row) => ({
    id: Number(textOf(row, 'chainId')),
    name: textOf(row, 'name'),
    vault: textOf(row, 'vault'),
    usdc: textOf(row, 'usdc'),
    explorer: textOf(row, 'explorer'),
    nativeSymbol: textOf(row, 'nativeSymbol'),
    /** The fee of a withdrawal, in USDC. */
    fee: near(textOf(row, 'withdrawalFee')),
    /** Decimal places of USDC on this chain. */
    decimals: Number(textOf(row, 'decimals')),
  }))
}

/** An amount in the smallest unit of USDC on a chain; null for an amount with more places than the chain has. */
export function unitsOf(amount: bigint, decimals: number): bigint | null {
  const units = amount * 10n ** BigInt(decimals)
  return units % ONE === 0n ? units / ONE : null
}

/** Units of USDC on a chain as an amount, rounded down. */
export function amountOfUnits(units: bigint, decimals: number): bigint {
  return (units * ONE) / 10n ** BigInt(decimals)
}
