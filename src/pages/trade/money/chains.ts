import { computed, signal } from '@preact/signals'
import { HOUR_MS } from '../../../contract/durations.ts'
import { ONE } from '../../../core/decimals.ts'
import { shownPage } from '../../common/address.ts'
import { type Exact, memberRows, memberText } from '../../common/exact-json.ts'
import { displayDecimal } from '../../common/format.ts'
import { followTopic, pathTopic } from '../feed/service.ts'

export const chainsReading = followTopic(() =>
  shownPage.value === 'deposit' || shownPage.value === 'withdraw'
    ? pathTopic('/api/prep/deposit-chains', HOUR_MS)
    : null,
)

export const transferChains = computed(() => chainRows(chainsReading.value.data))

/** The id of the chosen chain; 0 before a choice. */
export const chosenId = signal(0)

/** The chosen chain, else the first chain; null before the chains are loaded. */
export const chain = computed(
  () =>
    transferChains.value.find(({ id }) => id === chosenId.value) ?? transferChains.value[0] ?? null,
)

/** A chain for deposits and withdrawals of USDC. */
export type TransferChain = ReturnType<typeof chainRows>[number]

function chainRows(answer: Exact) {
  return memberRows(answer, 'rows').map((row) => ({
    id: Number(memberText(row, 'chainId')),
    name: memberText(row, 'name'),
    vault: memberText(row, 'vault'),
    usdc: memberText(row, 'usdc'),
    explorer: memberText(row, 'explorer'),
    nativeSymbol: memberText(row, 'nativeSymbol'),
    /** The fee of a withdrawal, in USDC. */
    fee: displayDecimal(memberText(row, 'withdrawalFee')),
    /** Decimal places of USDC on this chain. */
    decimals: Number(memberText(row, 'decimals')),
  }))
}

/**
 * An amount in the smallest unit of USDC on a chain; null if the amount has more decimal places than USDC on the chain.
 */
export function toTokenUnits(amount: bigint, decimals: number): bigint | null {
  const units = amount * 10n ** BigInt(decimals)
  return units % ONE === 0n ? units / ONE : null
}

/** Converts the smallest units of USDC on a chain to an amount, rounded down. */
export function fromTokenUnits(units: bigint, decimals: number): bigint {
  return (units * ONE) / 10n ** BigInt(decimals)
}
