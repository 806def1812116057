import { expect, test } from 'bun:test'
import { freePort } from '../free-port.ts'
import { settingsFolder } from '../settings-folder.ts'
import { openTarget } from '../target.ts'

test('a deployment whose products cannot be opened leaves neither the store nor the venue open', async () => {
  using folder = settingsFolder()
  const settings = {
    DATA_DIR: folder.path('data'),
    VENUE_LISTEN: `127.0.0.1:${await freePort()}`,
    VOUCHER: folder.write('voucher.toml', 'chains = 1'),
  }
  const { VOUCHER, ...others } = settings
  await expect(openTarget('in process', settings)).rejects.toThrow(`PREPD_VOUCHER ${VOUCHER}`)
  const target = await openTarget('in process', others)
  const { venue } = await target.listening()
  expect((await fetch(`${venue}/v1/public/system_info`)).status).toBe(200)
  await target.stop()
})
