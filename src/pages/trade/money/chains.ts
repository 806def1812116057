import { computed, signal } from '@preact/signals'
import { HOUR_MS } from '../../../contract/durations.ts'
import { ONE } from '../../../core/decimals.ts'
import { shownPage } from '../../common/address.ts'
import { type Exact, memberRows, memberText } from '../../common/exact-json.ts'
import { near } from '../../common/format.ts'
import { followed, pathTopic } from '../feed/service.ts'

export const chainsReading = followed(() =>
  shownPage.value === 'deposit' || shownPage.value === 'withdraw'
    ? pathTopic('/api/prep/deposit-chains', HOUR_MS)
    : null,
)

export const transferChains = computed(() => chainRows(chainsReading.value.data))

/** The id of the chain that was chosen; 0 before one was. */
export const chosenId = signal(0)

/** The chain that was chosen, else the first; null before they are known. */
export const chain = computed(
  () =>
    transferChains.value.find(({ id }) => id === chosenId.value) ?? transferChains.value[0] ?? null,
)

/** A chain from which USDC is deposited, and to which it is withdrawn. */
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
    fee: near(memberText(row, 'withdrawalFee')),
    /** Decimal places of USDC on this chain. */
    decimals: Number(memberText(row, 'decimals')),
  }))
}

/** An amount in the smallest unit of USDC on a chain; null for an amount with more places than the chain has. */
export function toTokenUnits(amount: bigint, decimals: number): bigint | null {
  const units = amount * 10n ** BigInt(decimals)
  return units % ONE === 0n ? units / ONE : null
}

/** Units of USDC on a chain as an amount, rounded down. */
export function fromTokenUnits(units: bigint, decimals: number): bigint {
  return (units * ONE) / 10n ** BigInt(decimals)
}
