import type { Settings } from '../settings/settings.ts'
import type { VoucherDesk } from './desk.ts'
import { createVouchers, type VoucherDeps, type Vouchers } from './voucher.ts'

export type OpenVouchers = { readonly vouchers: Vouchers; readonly close: () => void }

export type VoucherParts = Omit<VoucherDeps, 'desk'> & {
  readonly readText: (path: string) => Promise<string>
  /** The main store's file: vouchers live in it, on a connection of their own that waits for the disk. */
  readonly storePath: string
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
    close: () => desk?.store.close(),
  }
}

// Where vouchers are off, nothing of this is loaded.
async function openDesk(
  { path, key }: Settings['voucher'],
  { clock, log, readText, storePath }: VoucherParts,
): Promise<VoucherDesk | null> {
  if (path === null) return null
  const { readVoucherConfig } = await import('./config-file.ts')
  const { voucherSigner } = await import('./signer.ts')
  const { openVoucherDesk } = await import('./desk.ts')
  const { openVoucherStore } = await import('../store/voucher/sqlite.ts')
  const { createChains } = await import('./chains/chains.ts')
  const config = readVoucherConfig(await readText(path))
  const signer = key ? voucherSigner(key) : null
  const store = openVoucherStore(storePath)
  // The key may have signed elsewhere what this store knows nothing of.
  if (signer && !store.isAdopted())
    log.error('voucher store not adopted', { signer: signer.address })
  const chains = createChains({ chains: config.chains, clock })
  return openVoucherDesk({ config, chains, signer, store, clock })
}
