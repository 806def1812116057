import type { Settings } from '../settings/settings.ts'
import type { VoucherDesk } from '../voucher/desk.ts'
import type { VoucherDeps, Vouchers } from '../voucher/voucher.ts'

export type OpenVouchers = {
  readonly vouchers: Vouchers
  /** Null where there are none. */
  readonly desk: VoucherDesk | null
  readonly close: () => void
}

/**
 * Opens the voucher product over the desk that the settings name, or over none. `storePath` is the main store's file:
 * vouchers live in it, on a connection of their own that waits for the disk.
 */
export async function openVouchers(
  settings: Settings,
  parts: Omit<VoucherDeps, 'desk'>,
  storePath: string,
): Promise<OpenVouchers> {
  const { createVouchers } = await import('../voucher/voucher.ts')
  const { desk, close } = await openDesk(settings, parts, storePath)
  return { vouchers: createVouchers({ ...parts, desk }), desk, close }
}

type OpenDesk = { readonly desk: VoucherDesk | null; readonly close: () => void }

async function openDesk(
  { voucher }: Settings,
  { clock }: Pick<VoucherDeps, 'clock'>,
  storePath: string,
): Promise<OpenDesk> {
  if (voucher.path === null) return { desk: null, close: () => undefined }
  const { readVoucherConfig } = await import('../voucher/config.ts')
  const { voucherSigner } = await import('../voucher/signer.ts')
  const { openVoucherDesk } = await import('../voucher/desk.ts')
  const { openVoucherStore } = await import('../store/voucher/sqlite.ts')
  const { createChains } = await import('../voucher/chains/chains.ts')
  const config = readVoucherConfig(await Bun.file(voucher.path).text())
  const store = openVoucherStore(storePath)
  const desk = openVoucherDesk({
    config,
    chains: createChains({ chains: config.chains, clock }),
    signer: voucher.key ? voucherSigner(voucher.key) : null,
    store,
    clock,
  })
  return { desk, close: store.close }
}
