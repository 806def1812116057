import { Failure } from '../core/failure.ts'
import { every, orElse } from '../core/loop/guarded.ts'
import type { Settings } from '../settings/settings.ts'
import type { VoucherStore } from '../store/voucher/port.ts'
import { createChains } from './chains.ts'
import { readVoucherConfig } from './config-file.ts'
import { openVoucherService, type VoucherService } from './service.ts'
import { createSigners, voucherSigner } from './signers.ts'
import { createVouchers, type VoucherDeps, type Vouchers } from './voucher.ts'

export type OpenVouchers = {
  readonly vouchers: Vouchers
  /** Null where vouchers are off. */
  readonly service: VoucherService | null
  /** Removes this instance from those that sign, and closes the store. */
  readonly close: () => Promise<void>
}

export type VoucherParts = Omit<VoucherDeps, 'service'> & {
  readonly monotonicMs: () => number
  readonly readText: (path: string) => Promise<string>
  /** Opens the books: instances share theirs. */
  readonly openStore: () => Promise<VoucherStore>
}

/** How often this instance registers again as one that signs, in milliseconds. */
const RENEW_MS = 1000

/** Opens the voucher product over the service that the settings name, or over none. Throws UsageError. */
export async function openVouchers(
  settings: Settings['voucher'],
  parts: VoucherParts,
): Promise<OpenVouchers> {
  const { clock, log, scrub } = parts
  const service = await openService(settings, parts)
  const timer = service?.signers ? every('store', RENEW_MS, service.signers.renew) : undefined
  return {
    vouchers: createVouchers({ clock, log, scrub, service }),
    service: service,
    close: async () => {
      clearInterval(timer)
      // A store that is away forgets this instance by itself.
      await service?.store.leaveSigners().catch(orElse('store', undefined, Error))
      service?.store.close()
    },
  }
}

async function openService(
  { path, keys }: Settings['voucher'],
  { clock, log, monotonicMs, readText, openStore }: VoucherParts,
): Promise<VoucherService | null> {
  if (path === null) return null
  const config = readVoucherConfig(await readText(path))
  const own = keys.map(voucherSigner)
  const [first] = own
  const store = await openStore()
  // The key may have signed at another store what this one does not know.
  if (first && !(await isAdopted(store)))
    log.error('voucher store not adopted', { signer: first.address })
  const signers = first ? createSigners({ keys: own, store, monotonicMs, log }) : null
  const chains = createChains({ chains: config.chains, clock })
  return openVoucherService({ config, chains, signers, store, clock })
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
