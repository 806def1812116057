import { Failure } from '../core/failure.ts'
import type { Settings } from '../settings/settings.ts'
import type { VoucherStore } from '../store/voucher/port.ts'
import type { VoucherDesk } from './desk.ts'
import { createVouchers, type VoucherDeps, type Vouchers } from './voucher.ts'

export type OpenVouchers = {
  readonly vouchers: Vouchers
  /** Null where vouchers are off. */
  readonly desk: VoucherDesk | null
  readonly close: () => void
}

export type VoucherParts = Omit<VoucherDeps, 'desk'> & {
  readonly readText: (path: string) => Promise<string>
  /** Opens the books: instances share theirs. */
  readonly openStore: () => Promise<VoucherStore>
}

/** Opens the voucher product over the desk that the settings name, or over none. Throws UsageError. */
export async function openVouchers(
  settings: Settings['voucher'],
  parts: VoucherParts,
): Promise<OpenVouchers> {
  const { clock, log, scrub } = parts
  const desk = await openDesk(settings, parts)
  return {
    vouchers: createVouchers({ clock, log, scrub, desk }),
    desk,
    close: () => desk?.store.close(),
  }
}

// Where vouchers are off, nothing of this is loaded.
async function openDesk(
  { path, key }: Settings['voucher'],
  { clock, log, readText, openStore }: VoucherParts,
): Promise<VoucherDesk | null> {
  if (path === null) return null
  const { readVoucherConfig } = await import('./config-file.ts')
  const { voucherSigner } = await import('./signer.ts')
  const { openVoucherDesk } = await import('./desk.ts')
  const { createChains } = await import('./chains/chains.ts')
  const config = readVoucherConfig(await readText(path))
  const signer = key ? voucherSigner(key) : null
  const store = await openStore()
  // The key may have signed elsewhere what this store knows nothing of.
  if (signer && !(await isAdopted(store)))
    log.error('voucher store not adopted', { signer: signer.address })
  const chains = createChains({ chains: config.chains, clock })
  return openVoucherDesk({ config, chains, signer, store, clock })
}

/** What cannot be read now is judged by each request. */
async function isAdopted(store: VoucherStore): Promise<boolean> {
  try {
    return await store.isAdopted()
  } catch (error) {
    if (error instanceof Failure) return true
    throw error
  }
}
