import type { Settings } from '../core/settings.ts'
import type { VoucherDesk } from '../gateway/voucher-desk.ts'
import type { World } from './world.ts'

export type OpenVouchers = { readonly desk: VoucherDesk | null; readonly close: () => void }

const NONE: OpenVouchers = { desk: null, close: () => undefined }

/**
 * Opens the voucher desk that the settings name. `storePath` is the main store's file: vouchers live in it, on a
 * connection of their own that waits for the disk.
 */
export async function openVouchers(
  { voucher }: Settings,
  { clock }: World,
  storePath: string,
): Promise<OpenVouchers> {
  if (voucher.path === null) return NONE
  const { readVoucherConfig } = await import('../core/voucher-config.ts')
  const { voucherSigner } = await import('../core/voucher-signer.ts')
  const { openVoucherDesk } = await import('../gateway/voucher-desk.ts')
  const { openVoucherStore } = await import('../store/voucher.ts')
  const { createChains } = await import('../upstream/chains.ts')
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
