/** What it costs to share PostgreSQL and Valkey, and what a second instance brings: bun test/bench/shared/run.ts. */
import { startEngines } from './engines.ts'
import { twoInstances } from './instances.ts'
import { QuotaError } from './quota.ts'
import { sharedReads } from './reads.ts'
import { sharedWrites } from './writes.ts'

export async function severalInstances(): Promise<void> {
  const engines = await startEngines()
  try {
    await sharedReads(engines)
    await sharedWrites(engines)
    await twoInstances(engines)
  } catch (error) {
    // What else is measured does not depend on it.
    if (!(error instanceof QuotaError)) throw error
    console.log(`\ntwo instances: ${error.message}`)
  } finally {
    await engines.stop()
  }
}

if (import.meta.main) await severalInstances()
