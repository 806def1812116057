import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A group of processes that together get no more than a part of a core. */
export type Quota = {
  readonly hold: (pid: number) => void
  /** Once its processes have ended. */
  readonly remove: () => void
}

/** This machine or user may hold no process to a part of a core. */
export class QuotaError extends Error {
  override readonly name = 'QuotaError'
  constructor(cause: unknown) {
    super('no cgroup with a quota of processor time can be made: run the bench as root', { cause })
  }
}

const ROOT = '/sys/fs/cgroup'
const PERIOD_MICROS = 100_000

/** Makes a group of the kernel's version 1 or 2. Throws QuotaError. */
export function openQuota(name: string, cores: number): Quota {
  const micros = cores * PERIOD_MICROS
  const { folder, limits } = existsSync(join(ROOT, 'cpu/cpu.cfs_quota_us'))
    ? { folder: 'cpu', limits: { 'cpu.cfs_period_us': PERIOD_MICROS, 'cpu.cfs_quota_us': micros } }
    : { folder: '', limits: { 'cpu.max': `${micros} ${PERIOD_MICROS}` } }
  const path = join(ROOT, folder, `prepd-bench-${process.pid}-${name}`)
  try {
    mkdirSync(path)
    for (const [file, figure] of Object.entries(limits))
      writeFileSync(join(path, file), `${figure}`)
  } catch (cause) {
    throw new QuotaError(cause)
  }
  return {
    hold: (pid) => writeFileSync(join(path, 'cgroup.procs'), String(pid)),
    remove: () => rmdirSync(path),
  }
}
