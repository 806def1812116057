import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { envelope, jsonPost, type TestCall } from '../caller.ts'
import { openTarget } from '../target.ts'
import { asked, type Failure, RELAY, SYMBOL } from './asked.ts'
import { newUser } from './wallets.ts'

/** Deletes the store of a data directory; its mark stays. */
export function deleteStore(dataDir: string): void {
  for (const name of readdirSync(dataDir))
    if (name.startsWith('prepd.sqlite')) rmSync(join(dataDir, name))
}

/** The refusal of an opening order after the store was lost. */
export async function refusalAfterLoss(): Promise<Failure> {
  const dataDir = mkdtempSync(join(tmpdir(), 'prepd-refusal-after-loss-'))
  const open = () => openTarget('in process', { DATA_DIR: dataDir })
  const first = await open()
  const caller = await newUser(first)
  await first.stop()
  deleteStore(dataDir)
  const second = await open()
  const relayed = (call: TestCall) => asked(second, RELAY, jsonPost(envelope(caller, call)))
  try {
    await relayed({ method: 'GET', path: '/v1/positions' })
    const order = { symbol: SYMBOL, side: 'BUY', order_type: 'MARKET', order_quantity: 0.1 }
    return await relayed({ method: 'POST', path: '/v1/order', body: JSON.stringify(order) })
  } finally {
    await second.stop()
    rmSync(dataDir, { recursive: true })
  }
}
