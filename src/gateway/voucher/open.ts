import { VOUCHER_LIMITS } from '../../contract/voucher.ts'
import { Failure } from '../../core/failure.ts'
import { defaultOnFailure, detached, every } from '../../core/loop/guarded.ts'
import type { Settings } from '../../core/settings/settings.ts'
import type { VoucherStore } from '../../store/voucher/port.ts'
import { createChains } from './chains.ts'
import { readVoucherConfig } from './config-file.ts'
import { remoteSigner } from './remote-signer.ts'
import { openVoucherService, type VoucherService } from './service.ts'
import { createSigners, voucherSigner } from './signers.ts'
import { createVouchers, type VoucherAccess, type Vouchers } from './voucher.ts'
import { createVoucherWatch, type VoucherWatch } from './watch.ts'

export type OpenVouchers = {
  readonly vouchers: Vouchers
  /** Null if vouchers are off. */
  readonly service: VoucherService | null
  /** Null if vouchers are off. */
  readonly watch: VoucherWatch | null
  /** Unregisters this instance as a signer, and closes the store. */
  readonly close: () => Promise<void>
}

export type VoucherOptions = Omit<VoucherAccess, 'service'> & {
  readonly monotonicMs: () => number
  readonly readText: (path: string) => Promise<string>
  /** Opens the voucher store, which instances may share. */
  readonly openStore: () => Promise<VoucherStore>
}

/** How often this instance renews its registration as a signer, in milliseconds. */
const RENEW_MS = 1000

/** Opens the voucher product. Without a configuration file in the settings, vouchers are off. Throws UsageError. */
export async function openVouchers(
  settings: Settings['voucher'],
  parts: VoucherOptions,
): Promise<OpenVouchers> {
  const { clock, log, scrub } = parts
  const { service, watch } = await openService(settings, parts)
  const timers = [
    ...(service?.signers ? [every('store', RENEW_MS, service.signers.renew)] : []),
    ...(watch
      ? [every('store', VOUCHER_LIMITS.watchEveryMs, ignoringStoreFailure(watch.look))]
      : []),
  ]
  return {
    vouchers: createVouchers({ clock, log, scrub, service }),
    service,
    watch,
    close: async () => {
      timers.forEach(clearInterval)
      // If the store is unreachable, the registration remains until it expires.
      await service?.store.leaveSigners().catch(defaultOnFailure('store', undefined, Error))
      service?.store.close()
    },
  }
}

/** Wraps a check so that a failure of the store is ignored; the next check tries again. */
function ignoringStoreFailure(look: () => Promise<void>): () => Promise<void> {
  return () => look().catch(defaultOnFailure('store', undefined, Failure))
}

async function openService(
  { path, keys }: Settings['voucher'],
  { clock, log, monotonicMs, readText, openStore }: VoucherOptions,
): Promise<Pick<OpenVouchers, 'service' | 'watch'>> {
  if (path === null) return { service: null, watch: null }
  const config = readVoucherConfig(await readText(path))
  const changed = (signer: string, fault: string | null) =>
    fault === null
      ? log.info('voucher_signer_back', { signer })
      : log.error('voucher_signer_away', { signer, fault })
  const remote = config.signers.map((key) => remoteSigner(key, { readText, changed }))
  const own = [...remote, ...keys.map(voucherSigner)]
  const [first] = own
  const store = await openStore()
  // Logs an error, because the key may have signed vouchers that are only in a different store.
  if (first && !(await isAdopted(store)))
    log.error('voucher store not adopted', { signer: first.address })
  const signers = first ? createSigners({ keys: own, store, monotonicMs, log }) : null
  const chains = createChains({
    chains: config.chains,
    clock,
    deadlineMs: VOUCHER_LIMITS.endpointDeadlineMs,
  })
  const service = openVoucherService({ config, chains, signers, store, clock })
  const watch = createVoucherWatch(service, remote, clock)
  detached('store', ignoringStoreFailure(watch.look)())
  return { service, watch }
}

/** Whether the store is adopted. True if the store cannot be read, because each request checks again. */
async function isAdopted(store: VoucherStore): Promise<boolean> {
  try {
    return await store.isAdopted()
  } catch (error) {
    if (error instanceof Failure) return true
    throw error
  }
}
